#include <fmt/format.h>

#include <algorithm>

#include "platform/base/size_text.h"
#include "platform/base/units.h"
#include "platform/model/report.h"
#include "platform/observe/text_table.h"

namespace kb::model {
namespace {

using observe::fixed;
using observe::TextTable;
constexpr auto kLeft = TextTable::Align::left, kRight = TextTable::Align::right;

// Three digits with a prefix: "17.6 MB". Rates and times are decimal, so these bytes are, too.
std::string decimal(double value, const char* unit) {
  if (value == 0) return "-";
  const char* prefix = "";
  for (const char* next : {"k", "M", "G", "T", "P"}) {
    if (value < 999.5) break;
    value /= 1000;
    prefix = next;
  }
  const std::string number = fixed(value, value < 9.995   ? 2
                                          : value < 99.95 ? 1
                                                          : 0),
                    word = fmt::format("{}{}", prefix, unit);
  return word.empty() ? number : number + " " + word;
}

// Parameters to a hundredth of the unit: "70.55 G".
std::string parameters_text(std::int64_t count) {
  const auto value = static_cast<double>(count);
  return value < 1e9 ? decimal(value, "") : fixed(value / 1e9, 2) + " G";
}

std::string line(const char* label, const std::string& text) {
  return fmt::format("{:<12}{}\n", label, text);
}

std::string attention_text(const ModelSpec& spec) {
  if (spec.mla) {
    return fmt::format("{} heads on a latent of {} + {}", spec.heads, spec.mla->kv_rank, spec.mla->rope_dim);
  }
  return fmt::format("{} heads of {}, {} K/V heads", spec.heads, spec.head_dim, spec.kv_heads);
}

std::string experts_text(const ModelSpec& spec) {
  if (!spec.moe) return "";
  const auto layers =
      std::count_if(spec.layers.begin(), spec.layers.end(), [](const LayerSpec& one) { return one.moe; });
  return fmt::format(", in {} of them {} experts of {}, {} per token{}", layers, spec.moe->experts, spec.moe->width,
                     spec.moe->top_k, spec.moe->shared_width > 0 ? " and a shared one" : "");
}

std::string room_text(const ModelReport& report, const MemoryPlan& memory, const Graph& graph) {
  if (!memory.fits()) return fmt::format("no: {} too much", size_text(memory.taken() - memory.there()));
  const std::uint64_t each = cache_bytes_per_token(report.spec, report.plan, report.dtype, graph.layers);
  return fmt::format("yes, and {} more tokens", (memory.there() - memory.taken()) / std::max<std::uint64_t>(1, each));
}

std::string memory_text(const ModelReport& report) {
  TextTable table({{"stage", kRight},
                   {"layers", kLeft},
                   {"weights", kRight},
                   {"cache", kRight},
                   {"activations", kRight},
                   {"taken", kRight},
                   {"of", kRight},
                   {"address classes", kRight},
                   {"fits", kLeft}});
  for (std::size_t i = 0; i < report.stages.size(); ++i) {
    const MemoryPlan& memory = report.memory[i];
    const LayerRange& layers = report.stages[i].layers;
    table.add({std::to_string(i), fmt::format("{}-{}", layers.begin, layers.end - 1), size_text(memory.weight_bytes),
               size_text(memory.cache_bytes), size_text(memory.activation_bytes), size_text(memory.taken()),
               size_text(memory.there()), std::to_string(memory.classes), room_text(report, memory, report.stages[i])});
  }
  return "Memory of one SIP\n" + table.render("  ");
}

std::string layers_text(const OpGroup& group) {
  if (group.layers.empty()) return "";
  if (group.layers.size() > 1) return fmt::format("{} layers", group.count);
  const LayerRange& range = group.layers.front();
  return range.end - range.begin == 1 ? std::to_string(range.begin) : fmt::format("{}-{}", range.begin, range.end - 1);
}

std::string microseconds(TimeFs time) {
  return time == 0_fs ? "-" : fixed(fs_to_ns(time) / 1000, 3);
}

std::string ops_text(const ModelReport& report) {
  TextTable table({{"operation", kLeft},
                   {"kind", kLeft},
                   {"layers", kLeft},
                   {"count", kRight},
                   {"FLOP", kRight},
                   {"weights", kRight},
                   {"activations", kRight},
                   {"cache", kRight},
                   {"sent", kRight},
                   {"least us", kRight},
                   {"all us", kRight},
                   {"share", kRight},
                   {"limit", kLeft}});
  for (const OpGroup& group : report.groups) {
    const Work& work = group.each;
    const TimeFs all = time_product(static_cast<std::uint64_t>(group.count), group.time.all());
    const double share = report.time.all == 0_fs ? 0 : 100 * fs_to_ns(all) / fs_to_ns(report.time.all);
    const auto bytes = [](std::uint64_t count) { return decimal(static_cast<double>(count), "B"); };
    table.add({group.first->name, std::string(op_kind_name(group.first->kind)), layers_text(group),
               std::to_string(group.count), decimal(work.flop(), ""), bytes(work.weight_bytes),
               bytes(work.activation_bytes), bytes(work.cache_bytes), bytes(work.link_bytes),
               microseconds(group.time.all()), microseconds(all), fixed(share, 1) + " %",
               group.time.all() == 0_fs ? "" : std::string(limit_name(group.time.limit()))});
  }
  const char* phase = report.batch.phase == Phase::decode ? "Decode" : "Prefill";
  return fmt::format("{} of {}: what one SIP has to do, and the least time of it\n", phase, report.batch.text()) +
         table.render("  ");
}

}  // namespace

std::string render_head(const ModelReport& report) {
  const ModelSpec& spec = report.spec;
  const ParallelPlan& plan = report.plan;
  const SipRoofs& roofs = report.roofs;
  std::string out = line("Model", fmt::format("{} ({}): {} layers of width {}, {}{}, vocabulary {}{}", spec.name(),
                                              spec.family, spec.layers.size(), spec.hidden, attention_text(spec),
                                              experts_text(spec), spec.vocabulary, spec.tied ? ", tied head" : ""));
  const std::string active = report.parameters.active == report.parameters.all
                                 ? ""
                                 : fmt::format(", {} active per token", parameters_text(report.parameters.active));
  const std::string stored = spec.scales ? fmt::format("{} with block scales, others {}",
                                                       dtype_name(spec.scales->dtype), dtype_name(report.dtype))
                                         : std::string(dtype_name(report.dtype));
  out += line("Parameters", fmt::format("{}{}; {} in {}", parameters_text(report.parameters.all), active,
                                        size_text(report.weight_bytes()), stored));
  out += line("Cache", fmt::format("{} per token", size_text(cache_bytes_per_token(spec, report.dtype))));
  out += line("Plan", fmt::format("tp {}, pp {}, ep {}, dp {}: {} {}", plan.tp, plan.pp, plan.ep, plan.dp, plan.sips(),
                                  plan.sips() == 1 ? "SIP" : "SIPs"));
  out +=
      line("Machine", fmt::format("{}; a SIP has {} PEs, {} of HBM at {}, {} for {}, {} to other SIPs", report.machine,
                                  roofs.pes, size_text(roofs.hbm_bytes), decimal(roofs.hbm.gbs() * 1e9, "B/s"),
                                  decimal(2e9 * roofs.macs.per_ns(), "FLOP/s"), dtype_name(report.dtype),
                                  decimal(roofs.link.gbs() * 1e9, "B/s")));
  return out;
}

std::string render_report(const ModelReport& report) {
  const StageTime& time = report.time;
  const auto sum = [](TimeFs span) { return fixed(fs_to_ns(span) / 1000, 3); };
  std::string out = render_head(report) + "\n" + memory_text(report) + "\n" + ops_text(report) + "\n";
  out += fmt::format("Least time  {} us (memory {}, compute {}, links {} us), at most {} tokens/s{}\n", sum(time.all),
                     sum(time.memory), sum(time.compute), sum(time.link), decimal(report.tokens_per_second(), ""),
                     report.plan.pp > 1 ? " with a batch in every stage" : "");
  if (report.spec.moe) {
    out += "Tokens are spread over the experts as evenly as possible.\n";
  }
  if (report.spec.scales) {
    out += fmt::format("Weights in {} are read as such and multiplied in {}.\n", dtype_name(report.spec.scales->dtype),
                       dtype_name(report.dtype));
  }
  return out;
}

}  // namespace kb::model
