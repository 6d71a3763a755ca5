#include "platform/model/parallel_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "platform/base/error.h"
#include "platform/model/divisor.h"

namespace kb::model {
namespace {

class PlanCheck {
 public:
  PlanCheck(const ModelSpec& spec, const ParallelPlan& plan) : spec_(spec), plan_(plan) {}

  std::vector<Diagnostic> problems() {
    if (plan_.sips() > kMostSips) {
      add(fmt::format("tp {} x pp {} x dp {} are {} SIPs", plan_.tp, plan_.pp, plan_.dp, plan_.sips()),
          fmt::format("a tray has at most {}", kMostSips));
      return problems_;
    }
    divide("--tp", plan_.tp, spec_.heads, "attention heads");
    if (!spec_.mla && spec_.kv_heads % plan_.tp != 0 && plan_.tp % spec_.kv_heads != 0) {
      add(fmt::format("--tp {} neither divides the {} K/V heads nor is a multiple of them", plan_.tp, spec_.kv_heads),
          use_divisor("--tp", plan_.tp, spec_.heads));
    }
    if (has_dense_layers()) divide("--tp", plan_.tp, spec_.mlp_width, "columns of intermediate_size");
    if (plan_.pp > spec_.layer_count()) {
      add(fmt::format("--pp {} has more stages than the model layers", plan_.pp),
          fmt::format("use --pp {} or less", spec_.layer_count()));
    }
    check_experts();
    return problems_;
  }

 private:
  void add(const std::string& message, const std::string& remedy) {
    problems_.push_back({"", 0, 0, "", message, remedy});
  }
  static std::string use_divisor(const char* option, std::int64_t wrong, std::int64_t whole) {
    return fmt::format("use {} {}", option, nearest_divisor(whole, wrong, kMostSips));
  }
  void divide(const char* option, std::int64_t parts, std::int64_t whole, const char* what) {
    if (whole % parts == 0) return;
    add(fmt::format("{} {} does not divide {} {}", option, parts, whole, what), use_divisor(option, parts, whole));
  }
  bool has_dense_layers() const {
    return std::any_of(spec_.layers.begin(), spec_.layers.end(), [](const LayerSpec& layer) { return !layer.moe; });
  }
  void check_experts() {
    if (!spec_.moe) {
      if (plan_.ep > 1) add(fmt::format("--ep {}: {} has no experts", plan_.ep, spec_.name()), "leave --ep out");
      return;
    }
    const MoeSpec& moe = *spec_.moe;
    if (plan_.expert_group() % plan_.ep != 0) {
      add(fmt::format("--ep {} does not divide the {} SIPs of tp x dp", plan_.ep, plan_.expert_group()),
          use_divisor("--ep", plan_.ep, plan_.expert_group()));
      return;
    }
    divide("--ep", plan_.ep, moe.experts, "experts");
    if (moe.width % plan_.expert_shards() != 0) {
      add(fmt::format("experts of {} columns are not divisible over {} SIPs (tp x dp / ep)", moe.width,
                      plan_.expert_shards()),
          "raise --ep");
    }
    if (moe.shared_width > 0) divide("--tp", plan_.tp, moe.shared_width, "columns of the shared expert");
  }

  const ModelSpec& spec_;
  const ParallelPlan& plan_;
  std::vector<Diagnostic> problems_;
};

}  // namespace

void check_plan(const ModelSpec& spec, const ParallelPlan& plan) {
  std::vector<Diagnostic> problems = PlanCheck(spec, plan).problems();
  if (!problems.empty()) throw Error(std::move(problems));
}

bool divides(const ModelSpec& spec, const ParallelPlan& plan) {
  return PlanCheck(spec, plan).problems().empty();
}

std::vector<LayerRange> stages(std::int64_t layers, std::int64_t pp) {
  std::vector<std::int64_t> counts(static_cast<std::size_t>(pp), layers / pp);
  for (std::int64_t extra = 0; extra < layers % pp; ++extra) ++counts[static_cast<std::size_t>(pp - 2 - extra)];
  std::vector<LayerRange> ranges;
  std::int64_t begin = 0;
  for (const std::int64_t count : counts) {
    ranges.push_back({begin, begin + count});
    begin += count;
  }
  return ranges;
}

std::int64_t local_kv_heads(const ModelSpec& spec, std::int64_t tp) {
  return std::max<std::int64_t>(1, spec.kv_heads / tp);
}

}  // namespace kb::model
