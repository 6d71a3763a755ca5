#include "sim/evaluate/gqa/gqa_evaluation.h"

#include <fmt/format.h>

#include <map>
#include <set>

#include "sim/evaluate/files.h"
#include "sim/evaluate/gqa/panels.h"
#include "sim/evaluate/launches.h"

namespace kb::evaluate {
namespace {

// The five counts (K-93) from the statistics of the blocks of PEs, and who did the products.
struct Counts {
  std::map<std::string, std::int64_t> of;
  std::set<std::string> working_pes;  // "sip0.cube0.pe0"
};

bool ends_with(const std::string& text, const std::string& end) {
  return text.size() >= end.size() && text.compare(text.size() - end.size(), end.size(), end) == 0;
}

Counts count_operations(const Json& result) {
  Counts counts;
  for (const std::string& name : gqa_counts()) counts.of[name] = 0;
  for (const auto& [node, statistics] : result.at("blocks").items()) {
    const std::size_t dot = node.rfind('.');
    if (dot == std::string::npos) continue;
    const std::string block = node.substr(dot + 1);
    for (const auto& [name, entry] : statistics.items()) {
      const char* count = nullptr;
      if (block == "pe_gemm" && name == "commands") count = "gemm";
      if (block == "pe_dma" && name == "read_commands") count = "dma_read";
      if (block == "pe_dma" && name == "write_commands") count = "dma_write";
      if (block == "pe_ipcq" && ends_with(name, ".sent")) count = "ipcq_send";
      if (block == "pe_ipcq" && ends_with(name, ".received")) count = "ipcq_recv";
      if (count == nullptr) continue;
      const auto value = entry.at("value").get<std::int64_t>();
      counts.of[count] += value;
      if (value > 0) counts.working_pes.insert(node.substr(0, dot));
    }
  }
  return counts;
}

class GqaEvaluation final : public IEvaluation {
 public:
  std::string name() const override { return "gqa"; }
  std::string data_file() const override { return "gqa.json"; }

  std::vector<Point> points(const topology::LoadedTopology&) const override {
    std::vector<Point> list;
    for (const GqaCase& one : gqa_cases()) {
      Point point{one.id(), "attention", one.params()};
      point.ccl = fmt::format("defaults: {{ buffer_kind: tcm, n_slots: 4, slot_size: {} }}\n", kGqaSlotBytes);
      point.verify = one.verify;
      point.oplog = false;
      list.push_back(std::move(point));
    }
    return list;
  }

  Json row(const Point& point, const PointFiles& files) const override {
    const Json result = Json::parse(read_file(files.result));
    const Counts counts = count_operations(result);
    Json row{{"id", point.id},
             {"pe_exec_ns", launch_times(result).longest_ns},
             {"ranks", figure_of(result, "ranks")},
             {"seed", result.at("seed")},
             {"working_pes", counts.working_pes.size()}};
    bool only_pe0 = true;
    for (const std::string& pe : counts.working_pes) only_pe0 = only_pe0 && ends_with(pe, ".pe0");
    row["only_pe0_works"] = only_pe0;
    for (const std::string& name : gqa_counts()) row["counts"][name] = counts.of.at(name);
    if (point.verify) {
      row["correct"] = verified_all(result, 1);
      row["max_abs_error"] = result.at("verification").empty() ? Json() : result.at("verification")[0].at("max_abs");
    }
    return row;
  }

  Json data(const topology::LoadedTopology& machine, const std::vector<Json>& rows) const override {
    Json runs = Json::array();
    const std::vector<GqaCase> cases = gqa_cases();
    for (std::size_t i = 0; i < cases.size(); ++i) runs.push_back(run_json(machine.graph.spec, cases[i], rows[i]));
    return {{"dtype", "f16"}, {"slot_bytes", kGqaSlotBytes}, {"runs", runs}};
  }

  std::string csv(const Json& data) const override { return gqa_csv(data); }
  std::vector<Violation> check(const Json& data) const override { return check_gqa(data); }
  std::vector<Figure> figures(const Json& data) const override { return gqa_figures(data); }
  std::vector<std::string> figure_names() const override { return gqa_figure_names(); }

 private:
  static Json run_json(const topology::MachineSpec& spec, const GqaCase& one, const Json& row) {
    const GqaPanel& panel = *one.panel;
    const std::int64_t ranks = gqa_ranks(panel, spec);
    const std::int64_t queries = one.queries_per_cube;
    const std::int64_t s_q = queries == 0 ? panel.s_q : panel.prefill ? queries * ranks : queries;
    const double pairs = static_cast<double>(s_q * one.scale->q_heads * one.scale->context);
    Json run{{"set", one.set},
             {"panel", panel.name},
             {"text", panel.text},
             {"kernel", panel.kernel},
             {"wiring", panel.wiring},
             {"phase", panel.prefill ? "prefill" : "decode"},
             {"rank_axis", panel.rank_axis},
             {"n_ranks", ranks},
             {"s_q", s_q},
             {"queries_per_cube", queries},
             {"scale", one.scale->name},
             {"q_heads", one.scale->q_heads},
             {"kv_heads", one.scale->kv_heads},
             {"head_dim", one.scale->head_dim},
             {"context", one.scale->context},
             {"all_ranks", row.at("ranks")},
             {"working_pes", row.at("working_pes")},
             {"only_pe0_works", row.at("only_pe0_works")},
             {"seed", row.at("seed")},
             {"pe_exec_ns", row.at("pe_exec_ns")},
             {"gflops", 4 * pairs * static_cast<double>(one.scale->head_dim) / row.at("pe_exec_ns").get<double>()},
             {"counts", row.at("counts")}};
    for (const char* member : {"correct", "max_abs_error"}) {
      if (row.contains(member)) run[member] = row[member];
    }
    return run;
  }
};

}  // namespace

const std::vector<std::string>& gqa_counts() {
  static const std::vector<std::string> names{"gemm", "ipcq_send", "ipcq_recv", "dma_read", "dma_write"};
  return names;
}

std::vector<Json> gqa_runs(const Json& data, const std::string& set) {
  std::vector<Json> runs;
  for (const Json& run : data.at("runs")) {
    if (run.at("set") == set) runs.push_back(run);
  }
  return runs;
}

std::unique_ptr<IEvaluation> gqa_evaluation(const EvaluationOptions& options) {
  refuse_others("gqa", options, {});
  return std::make_unique<GqaEvaluation>();
}

}  // namespace kb::evaluate
