#include "platforms/endurance.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "platforms/catalogue.hpp"
#include "platforms/yaml_reader.hpp"

namespace spillway::platforms {
namespace {

constexpr std::int64_t most_cards = 1'000'000;

EnduranceTest read_test(Fields& fields) {
  EnduranceTest test;
  test.source = fields.required("source", text());
  test.cards = static_cast<std::size_t>(fields.required("cards", integer(1, most_cards)));
  test.capacity = fields.required("capacity", quantity(Unit::bytes, positive));
  fields.list_of_maps("failures", [&](Fields& entry) {
    CardFailures failures;
    failures.written = entry.required("written", quantity(Unit::bytes, positive));
    failures.failed_cards = static_cast<std::size_t>(entry.required("failed_cards", integer(1, most_cards)));
    if (test.cards != 0 && failures.failed_cards > test.cards) {
      entry.problem("failed_cards", fmt::format("{} cards of {} cannot fail", failures.failed_cards, test.cards));
    }
    if (!test.failures.empty() && failures.written <= test.failures.back().written) {
      entry.problem("written", "is not more than in the entry before it; expected ascending amounts");
    }
    if (!test.failures.empty() && failures.failed_cards <= test.failures.back().failed_cards) {
      entry.problem("failed_cards", "is not more than in the entry before it: cards stay failed");
    }
    test.failures.push_back(failures);
  });
  return test;
}

CardEndurance read_card_endurance(Fields& entry, const std::vector<CardEndurance>& before) {
  CardEndurance card;
  card.name = entry.required("name", text());
  if (!card.name.empty() && std::ranges::find(before, card.name, &CardEndurance::name) != before.end()) {
    entry.problem("name", fmt::format("\"{}\" is given twice", card.name));
  }
  card.cycles = entry.optional("cycles", figure(Unit::cycles, positive));
  card.written = entry.optional("written", figure(Unit::bytes, positive));
  card.capacity = entry.optional("capacity", quantity(Unit::bytes, positive)).value_or(0);
  if (entry.has("cycles") == entry.has("written")) {
    entry.problem("cycles", "expected exactly one of cycles (of a cell) and written (bytes, for a capacity)");
  }
  if (entry.has("written") && !entry.has("capacity")) {
    entry.problem("written", "needs the capacity of the card that it is for");
  }
  return card;
}

EnduranceTable read_endurance(const YamlDocument& document) {
  ProblemList problems(document);
  EnduranceTable table;
  {
    Fields fields(document.root(), problems);
    fields.map("test", [&](Fields& test) { table.test = read_test(test); });
    fields.list_of_maps("cards",
                        [&](Fields& entry) { table.cards.push_back(read_card_endurance(entry, table.cards)); });
  }
  problems.throw_if_any();
  return table;
}

}  // namespace

EnduranceTable load_endurance() {
  return read_endurance(YamlDocument::open(data_directory() / "platforms/endurance.yaml"));
}

EnduranceTable parse_endurance(std::string_view yaml, const std::string& file) {
  return read_endurance(YamlDocument::from_text(yaml, file));
}

}  // namespace spillway::platforms
