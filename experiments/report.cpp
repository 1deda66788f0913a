#include "experiments/report.hpp"

#include <algorithm>
#include <cctype>
#include <fstream>
#include <iterator>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "sim/trace/output_file.hpp"

namespace spillway::experiments {
namespace {

namespace fs = std::filesystem;

// Colours stand for verdicts beside their words, never alone. Wide content scrolls in its own box, not the page.
constexpr std::string_view page_head = R"html(<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Spillway: published figures reproduced</title>
<style>
:root { --paper: #ffffff; --ink: #1d2126; --soft: #5d6670; --line: #d5dade; --box: #f4f6f8;
        --hit: #15703f; --known: #8a5a00; --miss: #b3261e; --contradictory: #5b4bb5; --link: #0b5cad; }
@media (prefers-color-scheme: dark) {
  :root { --paper: #14171a; --ink: #e3e7ea; --soft: #a0a9b1; --line: #353c43; --box: #1d2226;
          --hit: #5ec48d; --known: #e0ac4e; --miss: #ff8a80; --contradictory: #b3a7ff; --link: #7fb8f5; }
}
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 76rem; padding: 1.2rem; background: var(--paper); color: var(--ink);
       font: 16px/1.5 system-ui, sans-serif; overflow-wrap: break-word; }
h1 { font-size: 1.6rem; line-height: 1.25; } h2 { margin-top: 3rem; border-top: 1px solid var(--line); padding-top: 1.2rem; }
h3 { margin: 2rem 0 .5rem; font-size: 1.05rem; }
a { color: var(--link); }
p, li { max-width: 60rem; } .soft { color: var(--soft); }
code { font-size: .9em; background: var(--box); padding: .1em .35em; border-radius: 4px; }
pre { background: var(--box); padding: .7rem .9rem; border-radius: 6px; overflow-x: auto; } pre code { padding: 0; }
.scroll { overflow-x: auto; border: 1px solid var(--line); border-radius: 6px; }
table { border-collapse: collapse; width: 100%; font-size: .875rem; }
th, td { padding: .4rem .6rem; text-align: left; vertical-align: top; border-bottom: 1px solid var(--line); }
tr:last-child td { border-bottom: 0; }
th { background: var(--box); white-space: nowrap; } .number { text-align: right; white-space: nowrap;
     font-variant-numeric: tabular-nums; }
td.source { min-width: 14rem; color: var(--soft); } td.at { min-width: 9rem; }
td code { display: inline-block; overflow-wrap: anywhere; color: var(--soft); }
.verdict { white-space: nowrap; font-weight: 600; }
.hit { color: var(--hit); } .known-miss, .unexpected-hit { color: var(--known); } .miss { color: var(--miss); }
.contradictory { color: var(--contradictory); }
.figures { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 21rem), 1fr)); gap: 1rem; }
.figures { margin: 1.2rem 0; } figure { margin: 0; } figure svg { width: 100%; height: auto; display: block; overflow: visible; }
figure svg text { fill: var(--ink) !important; }
@media (max-width: 48rem) {
  /* A row becomes a card: nothing of it is hidden behind the edge. */
  table.rows, .rows tbody, .rows tr, .rows td { display: block; width: 100%; }
  .rows tr:first-child { display: none; }
  .rows tr { border-bottom: 1px solid var(--line); padding: .5rem 0; } .rows tr:last-child { border-bottom: 0; }
  .rows td { display: grid; grid-template-columns: 6.5rem minmax(0, 1fr); gap: .5rem; border: 0; padding: .15rem .7rem;
             text-align: left; white-space: normal; }
  .rows td::before { content: attr(data-label); color: var(--soft); }
  .rows td:empty { display: none; }
}
</style>
</head>
<body>
)html";

std::string escaped(std::string_view text) {
  std::string html;
  for (const char letter : text) {
    switch (letter) {
      case '&':
        html += "&amp;";
        break;
      case '<':
        html += "&lt;";
        break;
      case '>':
        html += "&gt;";
        break;
      case '"':
        html += "&quot;";
        break;
      default:
        html += letter;
    }
  }
  return html;
}

std::string css_class(Verdict verdict) {
  std::string name{to_string(verdict)};
  std::ranges::transform(name, name.begin(),
                         [](char c) { return c == ' ' ? '-' : static_cast<char>(std::tolower(c)); });
  return name;
}

std::string verdict_mark(Verdict verdict) {
  return fmt::format(R"(<span class="verdict {}">{}</span>)", css_class(verdict), to_string(verdict));
}

/// What a published value is good for.
std::string_view use_of(const Target& target) {
  if (target.kind == Kind::contradictory) return "shown";
  return target.fitted.empty() ? "judges" : "fitted on";
}

std::string verdict_counts(std::span<const Comparison> comparisons) {
  std::vector<std::string> counts;
  for (const Verdict verdict :
       {Verdict::hit, Verdict::known_miss, Verdict::miss, Verdict::unexpected_hit, Verdict::contradictory}) {
    const auto count = std::ranges::count(comparisons, verdict, &Comparison::verdict);
    if (count > 0) counts.push_back(fmt::format("{} {}", count, verdict_mark(verdict)));
  }
  return fmt::format("{}", fmt::join(counts, ", "));
}

std::string read_figure(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(stream), {}};
  const std::size_t start = text.find("<svg");
  if (start == std::string::npos) {
    throw trace::FileError(file, fmt::format("cannot read '{}': not an SVG file", file.string()));
  }
  return text.substr(start);
}

/// The first words of a figure's title.
std::string network_of(const std::string& svg) {
  constexpr std::string_view title = "<title>";
  const std::size_t start = svg.find(title) + title.size();
  return svg.substr(start, svg.find_first_of(",<", start) - start);
}

std::string figures(const ReportSection& section) {
  std::vector<fs::path> files;
  std::error_code no_figures;
  for (const auto& entry : fs::directory_iterator(section.directory / "figures", no_figures)) {
    if (entry.path().extension() == ".svg") files.push_back(entry.path());
  }
  if (files.empty()) return R"(<p class="soft">The figures were not drawn.</p>)";
  std::ranges::sort(files);
  // Panels of one network stand together under its name; a row of single panels needs no names.
  struct Group {
    std::string network;
    std::vector<std::string> panels;
  };
  std::vector<Group> groups;
  for (const fs::path& file : files) {
    std::string svg = read_figure(file);
    const std::string network = network_of(svg);
    if (groups.empty() || groups.back().network != network) groups.push_back({network, {}});
    groups.back().panels.push_back(std::move(svg));
  }
  std::string html;
  bool among_singles = false;
  for (const Group& group : groups) {
    const bool single = group.panels.size() == 1;
    if (!(single && among_singles)) {
      html += html.empty() ? "" : "</div>\n";
      html += single ? "" : fmt::format("<h3>{}</h3>\n", escaped(group.network));
      html += "<div class=\"figures\">\n";
    }
    among_singles = single;
    for (const std::string& panel : group.panels)
      html += fmt::format("<figure>{}</figure>\n", panel);
  }
  return html + "</div>\n";
}

/// A box of its own for content that may be wider than the page; with a name, and reachable by keyboard.
std::string scroll_box(std::string_view name) {
  return fmt::format("<div class=\"scroll\" role=\"region\" tabindex=\"0\" aria-label=\"{}\">", escaped(name));
}

/// A cell that names its column, for a page too narrow for columns.
std::string cell(std::string_view label, const std::string& html, std::string_view css = "") {
  return fmt::format("<td class=\"{}\" data-label=\"{}\">{}</td>", css, label, html);
}

std::string comparison_table(const ReportSection& section) {
  std::string html = scroll_box(section.experiment.name + ": ours against published") +
                     "<table class=\"rows\">\n<tr><th>value</th><th>at</th><th class=\"number\">ours</th>"
                     "<th class=\"number\">published</th><th class=\"number\">ratio</th>"
                     "<th class=\"number\">tolerance</th><th>verdict</th><th>kind</th><th>source</th></tr>\n";
  for (const Comparison& comparison : section.comparisons) {
    const Target& target = *comparison.target;
    html += fmt::format("<tr data-id=\"{}\" data-point=\"{}\">", escaped(target.id), comparison.point + 1);
    html += cell("value", fmt::format("<span>{}<br><code>{}</code></span>", escaped(describe_metric(comparison)),
                                      escaped(target.id)));
    html += cell("at", escaped(describe_point(comparison, section.experiment)), "at");
    html += cell("ours", describe_ours(comparison), "number");
    html += cell("published", describe_published(comparison), "number");
    html += cell("ratio", describe_ratio(comparison), "number");
    html += cell("tolerance", describe_tolerance(comparison), "number");
    html += cell("verdict", verdict_mark(comparison.verdict));
    html += cell("kind", fmt::format("{}, {}", to_string(target.kind), use_of(target)));
    html += cell("source", escaped(target.source), "source");
    html += "</tr>\n";
  }
  return html + "</table></div>\n";
}

/// One line for each experiment: what judges ours apart from what ours was chosen by.
std::string overview(std::span<const ReportSection> sections) {
  std::string html = scroll_box("Overview") +
                     "<table class=\"rows\">\n<tr><th>experiment</th><th>question</th><th>judged</th>"
                     "<th>fitted on</th><th>contradictory</th></tr>\n";
  for (const ReportSection& section : sections) {
    std::vector<Comparison> judging, fitted;
    for (const Comparison& comparison : section.comparisons) {
      if (use_of(*comparison.target) == "judges") judging.push_back(comparison);
      if (use_of(*comparison.target) == "fitted on") fitted.push_back(comparison);
    }
    const auto contradictory = section.comparisons.size() - judging.size() - fitted.size();
    const Experiment& experiment = section.experiment;
    html += "<tr>";
    html += cell("experiment", fmt::format("<a href=\"#{0}\">{0}</a>", experiment.name));
    html += cell("question", escaped(experiment.title));
    html += cell("judged", verdict_counts(judging)) + cell("fitted on", verdict_counts(fitted));
    html += cell("contradictory", contradictory == 0 ? "" : fmt::format("{} shown", contradictory)) + "</tr>\n";
  }
  return html + "</table></div>\n";
}

/// A list of one item for each target that `text` has something to say about.
template <typename Text>
std::string list_of_targets(const ReportSection& section, std::string_view heading, Text text) {
  std::string items;
  for (const Target& target : section.experiment.published) {
    if (const std::string said = text(target); !said.empty()) {
      items += fmt::format("<li><code>{}</code> {}</li>\n", target.id, escaped(said));
    }
  }
  return items.empty() ? "" : fmt::format("<h3>{}</h3>\n<ul>\n{}</ul>\n", heading, items);
}

std::string infeasible_points(const ReportSection& section) {
  const auto count = std::ranges::count(section.results, PointStatus::infeasible, &PointResult::status);
  if (count == 0) return "";
  return fmt::format("{} of them {} and are gaps in the figures; the reasons stand in results.csv. ", count,
                     section.experiment.kind->infeasible);
}

std::string html_of(const ReportSection& section) {
  const Experiment& experiment = section.experiment;
  std::string html =
      fmt::format("<section id=\"{0}\">\n<h2>{0}: {1}</h2>\n", experiment.name, escaped(experiment.title));
  html += fmt::format("<p>{}</p>\n", escaped(experiment.question));
  if (!experiment.paper.empty())
    html += fmt::format("<p class=\"soft\">Held against {}.</p>\n", escaped(experiment.paper));
  html += fmt::format("<pre><code>{}</code></pre>\n", escaped(section.command));
  html += fmt::format(
      "<p class=\"soft\">{} points. {}Data: <a href=\"{}/results.csv\">results.csv</a>, "
      "<a href=\"{}/comparison.csv\">comparison.csv</a>, <a href=\"{}/config.yaml\">config.yaml</a>.</p>\n",
      section.results.size(), infeasible_points(section), section.link, section.link, section.link);
  html += figures(section);
  if (!section.comparisons.empty()) {
    html += fmt::format("<h3>Ours against published: {}</h3>\n", verdict_counts(section.comparisons));
    html += comparison_table(section);
  }
  html += list_of_targets(section, "Known misses", [](const Target& target) {
    return target.kind == Kind::contradictory ? std::string() : target.reason;
  });
  html += list_of_targets(section, "Contradictions in the paper", [](const Target& target) {
    return target.kind == Kind::contradictory ? target.reason : std::string();
  });
  html += list_of_targets(section, "Fitted: a hit of these is no evidence",
                          [](const Target& target) { return target.fitted; });
  if (!experiment.notes.empty()) {
    html += "<h3>Notes</h3>\n<ul>\n";
    for (const std::string& note : experiment.notes)
      html += fmt::format("<li>{}</li>\n", escaped(note));
    html += "</ul>\n";
  }
  return html + "</section>\n";
}

}  // namespace

std::string report_page(std::span<const ReportSection> sections, const std::string& version) {
  std::string html{page_head};
  html += fmt::format(
      "<h1>Published figures, reproduced</h1>\n<p class=\"soft\">Spillway {}. <em>Judges</em>: the value had no part "
      "in choosing ours. <em>Fitted on</em>: a rule or parameter of ours was chosen with it in view, so a hit is no "
      "evidence. <em>Contradictory</em>: the paper contradicts the value itself; it is shown, not judged. A ratio is "
      "ours / published. <a href=\"report.json\">report.json</a> says the same for programs.</p>\n",
      version);
  html += overview(sections);
  for (const ReportSection& section : sections)
    html += html_of(section);
  return html + "</body>\n</html>\n";
}

}  // namespace spillway::experiments
