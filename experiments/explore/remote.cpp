#include "experiments/explore/remote.hpp"

#include <algorithm>
#include <utility>

#include "experiments/crew/bytes.hpp"

namespace spillway::explore {
namespace {

/// Parts of a batch for each request that the crew has at hand: small enough that no worker waits long for another's
/// last part, and that what one takes along when it dies is soon done again.
constexpr std::size_t parts_of_a_request = 2;

}  // namespace

Evaluations evaluations_of(crew::Crew& crew, crew::Crew::Stop stop) {
  return [&crew, stop = std::move(stop)](const std::vector<Genes>& batch) {
    const std::size_t parts = std::min<std::size_t>(batch.size(), parts_of_a_request * crew.room());
    std::vector<std::string> requests;
    for (std::size_t part = 0; part < parts; ++part) {
      const auto at = [&](std::size_t i) {
        return batch.begin() + static_cast<std::ptrdiff_t>(batch.size() * i / parts);
      };
      crew::Writer request;
      request(std::vector<Genes>(at(part), at(part + 1)));
      requests.push_back(request.bytes());
    }
    std::vector<Worth> all;
    for (const std::string& answer : crew.ask(requests, stop)) {
      std::vector<Worth> worths;
      crew::Reader{answer}(worths);
      all.insert(all.end(), worths.begin(), worths.end());
    }
    if (all.size() != batch.size()) throw crew::Unanswered("a worker answers with another number of results");
    return all;
  };
}

std::string answer_of(const std::string& request, const Space& space, const Judge& judge) {
  std::vector<Genes> batch;
  crew::Reader{request}(batch);
  std::vector<Worth> worths;
  for (const Genes& genes : batch)
    worths.push_back(judge(space.repaired(genes)));
  crew::Writer answer;
  answer(worths);
  return answer.bytes();
}

}  // namespace spillway::explore
