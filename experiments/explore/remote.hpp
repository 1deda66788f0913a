#pragma once

#include <string>
#include <vector>

#include "experiments/crew/crew.hpp"
#include "experiments/explore/search.hpp"

namespace spillway::explore {

/// Evaluations that a crew does; the results do not depend on its size. The crew must outlive it.
Evaluations evaluations_of(crew::Crew& crew, crew::Crew::Stop stop);

/// A worker's answer to a request of those.
std::string answer_of(const std::string& request, const Space& space, const Judge& judge);

}  // namespace spillway::explore
