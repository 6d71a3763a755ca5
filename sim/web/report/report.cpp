#include "sim/web/report/report.h"

#include <fmt/format.h>

#include <atomic>
#include <charconv>
#include <nlohmann/json.hpp>
#include <optional>

#include "platform/base/error.h"
#include "platform/topology/sha256.h"
#include "platform/views/svg.h"
#include "sim/web/assets.h"
#include "sim/web/report/pictures.h"
#include "sim/web/report/questions.h"
#include "sim/web/report/static_part.h"

namespace kb::web {
namespace {

using Json = nlohmann::ordered_json;

std::string asset(std::string_view path) {
  for (const Asset& one : assets()) {
    if (one.path == path) return std::string(one.content);
  }
  throw Error::model(fmt::format("the page has no {}", path));
}

void replace_once(std::string& text, std::string_view what, const std::string& by) {
  const std::size_t at = text.find(what);
  if (at == std::string::npos) throw Error::model(fmt::format("index.html has no {}", what));
  text.replace(at, what.size(), by);
}

// "'sha256-...'" of the contents of an element.
std::string hash_of(std::string_view content) {
  const std::string hex = topology::sha256_hex(content);
  std::string bytes;
  constexpr int kHex = 16;
  for (std::size_t at = 0; at + 1 < hex.size(); at += 2) {
    unsigned byte = 0;
    std::from_chars(hex.data() + at, hex.data() + at + 2, byte, kHex);
    bytes += static_cast<char>(byte);
  }
  return "'sha256-" + base64(bytes) + "'";
}

Json without_this_computer(Json summary) {
  summary.erase("host");
  summary["folder"] = "a run";
  return summary;
}

// Replaces the paths of the two folders by A and B.
void name_folders(Json& json, const std::string& before, const std::string& after) {
  if (json.is_structured()) {
    for (Json& inside : json) name_folders(inside, before, after);
  }
  if (!json.is_string()) return;
  std::string text = json.get<std::string>();
  for (const auto& [folder, name] : {std::pair(before, "A"), std::pair(after, "B")}) {
    for (std::size_t at = text.find(folder); !folder.empty() && at != std::string::npos;
         at = text.find(folder, at + 1)) {
      text.replace(at, folder.size(), name);
    }
  }
  json = text;
}

std::string dumped(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

// Escapes JSON so that no name in it can end the element.
std::string in_script(const std::string& json) {
  std::string text;
  for (const char c : json) text += c == '<' ? std::string("\\u003c") : std::string(1, c);
  return text;
}

std::string document(const std::string& title, const std::string& without_scripts, const std::string& answers) {
  const std::string script = asset("/app.js"), style = asset("/app.css");
  const std::string policy = fmt::format(
      "default-src 'none'; script-src {}; style-src {} {}; img-src data:; base-uri 'none'; form-action 'none'",
      hash_of(script), hash_of(style), hash_of(views::svg_style()));
  std::string page = asset("/");
  replace_once(page, "<meta charset=\"utf-8\">",
               "<meta charset=\"utf-8\">\n<meta http-equiv=\"Content-Security-Policy\" content=\"" + policy + "\">");
  replace_once(page, "<title>kernbench</title>", "<title>" + views::escaped(title) + "</title>");
  replace_once(page, "href=\"/icon.svg\"", "href=\"data:image/svg+xml;base64," + base64(asset("/icon.svg")) + "\"");
  replace_once(page, "<link rel=\"stylesheet\" href=\"/app.css\">", "<style>" + style + "</style>");
  replace_once(page, "<script src=\"/app.js\" defer></script>\n", "");
  const std::size_t begin = page.find("<noscript>"), end = page.find("</noscript>");
  if (begin == std::string::npos || end == std::string::npos) throw Error::model("index.html has no <noscript>");
  page.replace(begin, end - begin, "<noscript>\n" + without_scripts);
  replace_once(page, "</body>",
               "<script type=\"application/json\" id=\"answers\">" + in_script(answers) + "</script>\n<script>" +
                   script + "</script>\n</body>");
  return page;
}

// "4 cubes, 32 PEs"
std::string size_of(const analysis::RunFolder& run) {
  std::string text;
  if (run.machine() == nullptr || !run.own_topology()) return text;
  for (const auto& [label, count] : run.machine()->counts()) {
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, label);
  }
  return text;
}

}  // namespace

std::string render_report(const std::string& folder, const std::string& against_folder) {
  analysis::RunFolder run(folder);
  std::optional<analysis::Timeline> timeline;
  const std::atomic<bool> ready{true}, stop{false};
  if (run.has_operations()) {
    run.activity();  // throws for damaged activity instead of omitting answers
    timeline.emplace(run.operations().names());
    timeline->load(run.operations_file(), run.operations().end_seq(), stop);
  }
  std::optional<ComparisonRun> against;
  if (!against_folder.empty()) {
    against.emplace(against_folder, run, folder);
    against->run().activity();
  }
  const Api api(run, timeline ? &*timeline : nullptr, ready, against ? &*against : nullptr);
  Json comparison;
  if (against) {
    comparison = Json::parse(against->comparison());
    const std::string before = comparison["before"].get<std::string>(), after = comparison["after"].get<std::string>();
    name_folders(comparison, before, after);
  }
  Answers answers(api);
  answers.put("/api/run", dumped(without_this_computer(Json::parse(run.summary()))));
  answers.put("/api/compare", dumped(comparison));
  if (against) {
    answers.put(key_of("/api/run", {{"run", "against"}}),
                dumped(without_this_computer(Json::parse(against->run().summary()))));
  }
  make_requests({run, timeline ? &*timeline : nullptr, against ? &against->run() : nullptr, comparison}, answers);
  return document(run.result().setup.bench.name + " \u00b7 kernbench",
                  static_part(run.result(), run.why(), size_of(run), comparison, pictures_of(run, answers)),
                  answers.json());
}

}  // namespace kb::web
