#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "experiments/experiment.hpp"
#include "experiments/runner.hpp"

namespace spillway::experiments {

/// How ours stands against a published value.
enum class Verdict : std::uint8_t {
  hit,             ///< within tolerance, as expected
  known_miss,      ///< outside, as expected; the reason is given
  miss,            ///< outside, unexpected: the run fails
  unexpected_hit,  ///< within, where a miss was expected: the expectation is out of date
  contradictory,   ///< shown, not judged
};

/// `hit`, `known miss`, `MISS`, `unexpected hit`, `contradictory`.
std::string_view to_string(Verdict verdict);

/// A published value against one point.
struct Comparison {
  const Target* target = nullptr;
  std::size_t point = 0;                 ///< into Experiment::points
  std::optional<std::size_t> reference;  ///< the point that the ratio refers to
  std::optional<double> ours;            ///< nothing: the point has no result
  std::optional<double> published;       ///< the value, of one frame; nothing: a range
  std::optional<double> ratio;           ///< ours / published
  Verdict verdict = Verdict::miss;
};

/// Every published value at every point it speaks of, in the order of the file. The experiment must outlive the result.
std::vector<Comparison> compare(const Experiment& experiment, std::span<const PointResult> results);

/// Whether a target was missed unexpectedly.
bool has_unexpected_miss(std::span<const Comparison> comparisons);

// Parts of a comparison for people.
std::string describe_point(const Comparison& comparison, const Experiment& experiment);  ///< `vgg16, buffer 16 KiB`
std::string describe_metric(const Comparison& comparison);  ///< `IO time`, with `ratio of` where it is one
std::string describe_published(
    const Comparison& comparison);                        ///< `258 s`, `0.95 to 1.05`, `6,804 (68,040 of 10 frames)`
std::string describe_ours(const Comparison& comparison);  ///< `-` without a result
std::string describe_ratio(const Comparison& comparison);
std::string describe_tolerance(const Comparison& comparison);

}  // namespace spillway::experiments
