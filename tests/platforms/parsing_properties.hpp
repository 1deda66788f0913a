#pragma once

#include <string_view>

/// What holds for any input at all of the platforms' readers; the fuzzers look for an input that breaks it, and the
/// tests replay the kept ones. Each function throws std::logic_error when its property is broken.
namespace spillway::platforms {

/// The first byte chooses the kind of quantity. Either a UnitError, or a finite quantity of 0 or more that its exact
/// text gives back.
void check_units(std::string_view input);

/// Either the part, or an InputError of one line per problem, each within the text.
void check_board(std::string_view input);
void check_card(std::string_view input);
void check_cluster(std::string_view input);
void check_efficiencies(std::string_view input);
void check_endurance(std::string_view input);

/// The same; and its text gives the part back.
void check_computer(std::string_view input);

/// Either devices whose keys give them back, or an InputError as above; and mappings onto two devices likewise.
void check_devices(std::string_view input);
void check_mapping(std::string_view input);

/// The same for a reader that uses every kind of value.
void check_yaml_reader(std::string_view input);

}  // namespace spillway::platforms
