// The relations of section 7 of chapter 09, and the table.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "sim/evaluate/checker.h"
#include "sim/evaluate/csv.h"
#include "sim/evaluate/gqa/gqa_evaluation.h"

namespace kb::evaluate {
namespace {

constexpr std::int64_t kMost = std::int64_t{1} << 53;

std::int64_t whole(const Json& run, const char* member) {
  return whole_number(run, member, -kMost, kMost);
}

std::string name_of(const Json& run) {
  std::string text = run.at("panel").get<std::string>() + " at " + run.at("scale").get<std::string>() + " scale";
  if (whole(run, "queries_per_cube") > 0) text += fmt::format(", {} queries per cube", whole(run, "queries_per_cube"));
  return text;
}

// K-84: decode takes all keys of a rank in one step, prefill a block of every rank at a time. A block is as many keys
// as a slot holds.
std::int64_t expected_gemms(const Json& run, std::int64_t slot_bytes) {
  constexpr std::int64_t kItem = 2;
  const std::int64_t n = whole_number(run, "n_ranks", 1, 1 << 12), heads = whole_number(run, "kv_heads", 1, 1 << 10);
  if (run.at("phase") == "decode") return 2 * n * heads;
  const std::int64_t keys = whole_number(run, "context", 1, 1 << 24) / n,
                     row = whole_number(run, "head_dim", 1, 1 << 20) * kItem,
                     of_slot = std::max<std::int64_t>(1, slot_bytes / row);
  const std::int64_t blocks = (keys + of_slot - 1) / of_slot;
  return 2 * n * n * blocks * heads;
}

void check_counts(Checker& checker, const Json& data, const Json& run) {
  const std::string name = name_of(run);
  const Json& counts = run.at("counts");
  const std::int64_t gemms = whole(counts, "gemm"),
                     expected = expected_gemms(run, whole_number(data, "slot_bytes", 1, kMost));
  checker.expect(gemms == expected, "E-72", "{}: {} GEMMs instead of {}", name, gemms, expected);
  checker.expect(counts.at("ipcq_send") == counts.at("ipcq_recv"), "E-73", "{}: {} messages sent, {} received", name,
                 counts.at("ipcq_send").dump(), counts.at("ipcq_recv").dump());
  checker.expect(whole(run, "rank_axis") == 0 || run.at("only_pe0_works").get<bool>(), "E-73",
                 "{}: PEs other than PE 0 of a cube work", name);
  checker.expect(run.at("working_pes") == run.at("all_ranks"), "E-73", "{}: {} PEs work, there are {} ranks", name,
                 run.at("working_pes").dump(), run.at("all_ranks").dump());
  checker.expect(run.at("pe_exec_ns").get<double>() > 0, "E-72", "{}: takes no time", name);
}

// More queries take longer, but less for each: K and V are read once for all of them.
void check_scaling(Checker& checker, const Json& data) {
  std::map<std::string, Json> before;
  for (const Json& run : gqa_runs(data, "scaling")) {
    const std::string panel = run.at("panel");
    const auto found = before.find(panel);
    if (found != before.end()) {
      const double fewer = found->second.at("pe_exec_ns"), more = run.at("pe_exec_ns");
      const double growth = static_cast<double>(whole(run, "s_q")) / static_cast<double>(whole(found->second, "s_q"));
      checker.expect(more > fewer, "E-71", "{}: {} ns, not more than the {} ns of fewer queries", name_of(run), more,
                     fewer);
      checker.expect(more < growth * fewer, "E-71", "{}: {} ns, {} times the queries take {} times as long",
                     name_of(run), more, growth, more / fewer);
    }
    before[panel] = run;
  }
}

}  // namespace

std::vector<Violation> check_gqa(const Json& data) {
  Checker checker;
  for (const Json& run : data.at("runs")) {
    checker.expect(!run.contains("correct") || run.at("correct").get<bool>(), "E-70", "{}: wrong contents",
                   name_of(run));
    check_counts(checker, data, run);
  }
  check_scaling(checker, data);
  return checker.take();
}

std::string gqa_csv(const Json& data) {
  const char* const words[] = {"set", "panel", "kernel", "wiring", "scale"};
  const char* const numbers[] = {"rank_axis",        "n_ranks",    "all_ranks", "s_q",
                                 "queries_per_cube", "q_heads",    "kv_heads",  "head_dim",
                                 "context",          "pe_exec_ns", "gflops"};
  std::vector<std::string> names(std::begin(words), std::end(words));
  names.insert(names.end(), std::begin(numbers), std::end(numbers));
  names.insert(names.end(), gqa_counts().begin(), gqa_counts().end());
  names.insert(names.end(), {"correct", "max_abs_error"});
  std::string text = csv_line(names);
  for (const Json& run : data.at("runs")) {
    std::vector<std::string> cells;
    for (const char* name : words) cells.push_back(run.at(name).get<std::string>());
    for (const char* name : numbers) cells.push_back(run.at(name).dump());
    for (const std::string& name : gqa_counts()) cells.push_back(run.at("counts").at(name).dump());
    for (const char* name : {"correct", "max_abs_error"})
      cells.push_back(run.contains("correct") ? run.at(name).dump() : "");
    text += csv_line(cells);
  }
  return text;
}

}  // namespace kb::evaluate
