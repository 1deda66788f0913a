#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace spillway::platforms {

/// The candidate that `name` was probably meant to be, for error messages.
/// A candidate that differs in the case of letters only comes first, then one that begins with `name` (three letters or
/// more), then the nearest by edit distance with swapped neighbours, where the case of letters decides only between
/// equals. The limit is one edit for every three letters of `name` (at least one), so that nonsense gets no suggestion.
/// Ties go to the first candidate.
std::optional<std::string> nearest(std::string_view name, const std::vector<std::string>& candidates);

/// `; did you mean "x"?` for an error message, or nothing without a near candidate.
std::string did_you_mean(std::string_view name, const std::vector<std::string>& candidates);

}  // namespace spillway::platforms
