#include "sim/cli/dram_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <system_error>
#include <utility>
#include <vector>

#include "platform/base/error.h"
#include "platform/dram/standards.h"
#include "platform/observe/json_writer.h"
#include "platform/observe/packed_file.h"
#include "platform/topology/input_file.h"

namespace kb::cli {
namespace {

// Timing values of the header that are not those of its preset; all of them when there is no such preset.
std::vector<std::pair<std::string, std::int64_t>> overrides(const dram::LegalityReport& report) {
  const std::vector<std::string> names = dram::standard_names();
  const bool known = std::find(names.begin(), names.end(), report.preset) != names.end();
  dram::Timing preset = known ? dram::standard(report.preset).timing : dram::Timing{};
  std::vector<std::pair<std::string, std::int64_t>> changed;
  for (const std::string& key : dram::timing_keys()) {
    const auto found = report.timing.find(key);
    if (found == report.timing.end() || (known && found->second == dram::timing_value(preset, key))) continue;
    changed.emplace_back(*found);
  }
  return changed;
}

std::string machine_text(const dram::LegalityReport& report) {
  std::string text = report.preset;
  const char* separator = " with ";
  for (const auto& [key, ticks] : overrides(report)) {
    text += fmt::format("{}{} {}", separator, key, ticks);
    separator = ", ";
  }
  return text;
}

std::string count_text(const dram::LegalityReport& report) {
  std::string text;
  for (const auto& [command, count] : report.counts) {
    if (count > 0) text += fmt::format("{}{} {}", text.empty() ? ": " : ", ", command, count);
  }
  return fmt::format("{} commands of {} channel{}{}", report.commands, report.channels, report.channels == 1 ? "" : "s",
                     text);
}

void write_violation(observe::JsonWriter& json, const dram::Violation& found) {
  json.begin_object(true);
  json.key("line").unsigned_integer(found.line);
  json.key("time_ns").time_ns(TimeFs(found.time_fs));
  json.key("channel").unsigned_integer(found.channel);
  json.key("command").text(found.command);
  json.key("bank").unsigned_integer(found.bank);
  json.key("row").unsigned_integer(found.row);
  json.key("rule").text(found.rule);
  if (found.needed >= 0) json.key("needed_ticks").integer(found.needed).key("seen_ticks").real(found.seen);
  json.end_object();
}

}  // namespace

dram::LegalityReport check_dram_trace(const std::string& file) {
  try {
    observe::PackedInputStream from(file);
    return dram::check_legality(from, file);
  } catch (const std::system_error& error) {
    const int number = error.code().value();
    const std::string message = number == ENOENT ? "there is no file '" + file + "'"
                                                 : "'" + file + "' cannot be read: " + error.code().message();
    const std::string remedy = number == ENOENT ? "check the path given to --dram-trace" : topology::remedy_of(number);
    throw Error({Diagnostic{"", 0, 0, "", message, remedy}});
  }
}

std::string dram_check_text(const std::string& file, const dram::LegalityReport& report) {
  if (report.violations == 0) return fmt::format("{}: ok ({}, {})\n", file, machine_text(report), count_text(report));
  std::string text = fmt::format("{}: {} violation{} ({}, {})\n", file, report.violations,
                                 report.violations == 1 ? "" : "s", machine_text(report), count_text(report));
  for (const dram::Violation& found : report.first) text += fmt::format("{}:{}: {}\n", file, found.line, found.text());
  if (report.violations > report.first.size()) {
    text += fmt::format("and {} more\n", report.violations - report.first.size());
  }
  return text;
}

std::string dram_check_json(const std::string& file, const dram::LegalityReport& report) {
  observe::JsonWriter json;
  json.begin_object();
  json.key("file").text(file);
  json.key("preset").text(report.preset);
  json.key("overrides").begin_object(true);
  for (const auto& [key, ticks] : overrides(report)) json.key(key).integer(ticks);
  json.end_object();
  json.key("channels").unsigned_integer(report.channels);
  json.key("commands").unsigned_integer(report.commands);
  json.key("counts").begin_object(true);
  for (const auto& [command, count] : report.counts) json.key(command).unsigned_integer(count);
  json.end_object();
  json.key("violations").unsigned_integer(report.violations);
  json.key("first").begin_array();
  for (const dram::Violation& found : report.first) write_violation(json, found);
  json.end_array();
  json.end_object();
  return json.str() + "\n";
}

}  // namespace kb::cli
