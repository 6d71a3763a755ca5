#include "sim/analysis/recorded/serving_folder.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <vector>

#include "platform/base/error.h"
#include "platform/observe/json_writer.h"
#include "sim/analysis/recorded/document.h"
#include "sim/result/serving_document.h"
#include "sim/study/files/csv.h"
#include "sim/study/files/files.h"
#include "sim/study/files/json_file.h"

namespace kb::analysis {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;
using observe::JsonWriter;
using Names = std::vector<std::string>;

constexpr std::uintmax_t kMostTableBytes = std::uintmax_t{1} << 30;
constexpr const char *kServing = "requests", *kCommand = "kernbench model requests --out";

// Columns that the page needs, by their names in the file.
const Names& request_columns() {
  static const Names names = {"request id", "input",         "output", "arrival", "end_time",
                              "latency",    "queuing_delay", "TTFT",   "TPOT"};
  return names;
}
const Names& second_columns() {
  static const Names names = {"t", "prompt_throughput", "gen_throughput", "running", "waiting", "kv_cache_pct"};
  return names;
}

// Columns of a table, as positions in a record of the file.
std::vector<std::size_t> places_of(const std::string& file, const std::vector<files::CsvCell>& head,
                                   const Names& names) {
  std::vector<std::size_t> places;
  for (const std::string& name : names) {
    const auto found =
        std::find_if(head.begin(), head.end(), [&](const files::CsvCell& cell) { return cell.text == name; });
    if (found == head.end()) {
      Names there;
      for (const files::CsvCell& cell : head) there.push_back(cell.text);
      throw Error::configuration(
          fmt::format("{}:1: it has no column '{}' (it has {})", file, name, fmt::join(there, ", ")));
    }
    places.push_back(static_cast<std::size_t>(found - head.begin()));
  }
  return places;
}

double number_in(const std::string& text, const std::string& file, std::size_t line, const std::string& column) {
  double value = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, failed] = std::from_chars(text.data(), end, value);
  if (failed != std::errc() || stop != end || !(value >= 0)) {
    throw Error::configuration(
        fmt::format("{}:{}: {} is '{}', and has to be a number of at least 0", file, line, column, text.substr(0, 40)));
  }
  return value;
}

std::string text_of(const std::string& file) {
  std::error_code failed;
  if (const std::uintmax_t bytes = fs::file_size(file, failed); bytes > kMostTableBytes) {
    throw Error::configuration(
        fmt::format("{}: it has {} bytes, and at most {} are read", file, bytes, kMostTableBytes));
  }
  const std::string text = files::read_file(file);
  if (text.empty() || text.back() != '\n') {
    throw Error::configuration(file + ": its last line has no end; the file is cut");
  }
  return text;
}

// Returns the table as JSON.
std::string table_json(const std::string& file, const Names& names) {
  const std::string text = text_of(file);
  files::CsvReader reader(text);
  std::vector<files::CsvCell> record;
  if (!reader.next(record)) throw Error::configuration(file + ": it has no line with the names of columns");
  const std::size_t width = record.size();
  const std::vector<std::size_t> places = places_of(file, record, names);
  JsonWriter writer(JsonWriter::Layout::compact);
  writer.begin_object().key("columns").begin_array();
  for (const std::string& name : names) writer.text(name);
  writer.end_array().key("rows").begin_array();
  std::size_t total = 0;
  while (reader.next(record)) {
    if (record.size() != width) {
      throw Error::configuration(
          fmt::format("{}:{}: the row has {} cells, and the first line {}; the file is cut or "
                      "was changed",
                      file, reader.line(), record.size(), width));
    }
    if (++total > ServingFolder::kMostRows) continue;
    writer.begin_array();
    for (std::size_t i = 0; i < names.size(); ++i) {
      writer.real(number_in(record[places[i]].text, file, reader.line(), names[i]));
    }
    writer.end_array();
  }
  writer.end_array().key("total").unsigned_integer(total).end_object();
  return writer.str();
}

// A simulated machine has no profile, and joules where it has coefficients.
void check_launches(const Document& document, const Json& launches) {
  if (!launches.is_object()) document.refuse("/launches", "an object");
  const auto joules = launches.find("joules");
  if (joules == launches.end() || !joules->is_object() || !joules->contains("total")) return;
  document.need_numbers("/launches/joules", {"/total", "/low", "/high", "/watts", "/per_output_token"});
}

void check_summary(const std::string& file, const Json& summary) {
  const Document document(file, kCommand, summary);
  document.need_texts("", {"/version", "/trace", "/trace_format", "/model", "/hardware"});
  const auto launches = summary.find("launches");
  if (launches == summary.end()) {
    document.need_texts("", {"/profile"});
  } else {
    check_launches(document, *launches);
  }
  document.need_numbers("", {"/tp", "/policy/blocks", "/policy/block_size", "/policy/max_seqs", "/policy/max_tokens",
                             "/requests", "/skipped"});
  document.need_text_list("/warnings");
  document.need_text_list("/abstractions");
  if (summary.contains("rates")) {
    const std::size_t rates = document.need_list("/rates");
    for (std::size_t i = 0; i < rates; ++i) {
      document.need_numbers(
          fmt::format("/rates/{}", i),
          {"/rate_per_s", "/requests_per_s", "/output_tokens_per_s", "/ttft_p50_ns", "/ttft_p99_ns", "/tpot_mean_ns",
           "/latency_mean_ns", "/latency_p50_ns", "/latency_p99_ns", "/preemptions"});
    }
    return;
  }
  for (const char* name : {"/ttft_ns", "/tpot_ns", "/itl_ns", "/latency_ns", "/queuing_ns"}) {
    document.need_numbers(name, {"/mean", "/p50", "/p90", "/p95", "/p99", "/most"});
  }
  document.need_numbers(
      "", {"/seconds", "/requests_per_s", "/input_tokens_per_s", "/output_tokens_per_s", "/steps", "/busy_ns",
           "/recomputed_tokens", "/preemptions", "/prefix_hit_tokens", "/input_tokens", "/running/mean",
           "/running/most", "/waiting_most", "/blocks_used/mean", "/blocks_used/most"});
}

}  // namespace

bool ServingFolder::is_one(const std::string& folder) {
  std::error_code ignored;
  const fs::path path(folder);
  const auto has = [&](const char* file) { return fs::exists(path / file, ignored); };
  return has(result::kServingSummary) && (has(result::kRequestTable) || has(result::kRateTable));
}

std::string ServingFolder::json() const {
  const std::string file = checked_file(folder_, result::kServingSummary, kServing);
  const Json summary = files::read_json(file, files::kMaxDataBytes);
  check_summary(file, summary);
  Names problems;
  const auto table = [&](const char* name, const Names& columns) -> std::string {
    if (summary.contains("rates")) return "null";
    try {
      return table_json(checked_file(folder_, name, kServing), columns);
    } catch (const Error& failure) {
      problems.emplace_back(failure.what());
      return "null";
    }
  };
  std::string text = "{\"summary\":" + summary.dump();
  text += ",\"requests\":" + table(result::kRequestTable, request_columns());
  text += ",\"seconds\":" + table(result::kSecondTable, second_columns());
  return text + ",\"problems\":" + Json(problems).dump() + "}";
}

std::string ServingFolder::gaps(std::int64_t request) const {
  const std::string file = checked_file(folder_, result::kRequestTable, kServing), text = text_of(file);
  files::CsvReader reader(text);
  std::vector<files::CsvCell> record;
  reader.next(record);
  const std::vector<std::size_t> places = places_of(file, record, {"request id", "ITL"});
  const std::size_t width = record.size();
  const std::string id = std::to_string(request);
  while (reader.next(record)) {
    if (record.size() != width || record[places[0]].text != id) continue;
    const Json gaps = Json::parse(record[places[1]].text, nullptr, false);
    const Json all = {{"gaps_ns", gaps.is_discarded() ? Json(record[places[1]].text) : gaps}};
    Document(fmt::format("{}:{}", file, reader.line()), kCommand, all).need_number_list("/gaps_ns");
    return all.dump();
  }
  throw Error::configuration(fmt::format("{} has no request {}", file, request));
}

}  // namespace kb::analysis
