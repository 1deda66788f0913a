#pragma once

#include <string_view>

#include "platforms/yaml_document.hpp"

/// Two kinds of boards share one name space for the user: errors tell which one a name or a file is.
namespace spillway::platforms {

enum class BoardKind {
  microcontroller,  ///< platforms/boards: networks are swapped on one
  computer,         ///< platforms/computers: networks are split over several
};

/// Throws InputError when `name` is that of a board of the other kind; says for which verbs that kind is.
void refuse_name_of_other_kind(std::string_view name, BoardKind wanted);

/// Throws InputError when the document describes a board of the other kind, so that nobody has to read a list of all
/// the keys that it lacks.
void refuse_other_kind(const YamlDocument& document, BoardKind wanted);

}  // namespace spillway::platforms
