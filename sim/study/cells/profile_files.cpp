#include "sim/study/cells/profile_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

#include "platform/base/error.h"
#include "platform/base/nearest.h"
#include "platform/base/units.h"
#include "platform/base/version.h"
#include "platform/observe/text_table.h"

namespace kb::cells {
namespace {

using profile::Cell;
using profile::CellKind;
using profile::DecodePart;
using profile::ProductPart;

constexpr double kInside = 1.0;  // ns of a kernel that is part of another launch; a reader takes less for 1 as well

// Times of one layer in ns, from those of a step in fs.
class Layers {
 public:
  explicit Layers(const MachineProfile& profile)
      : tables_(profile.tables), layers_(static_cast<double>(profile.model.layers)) {}

  double product(std::int64_t tokens, ProductPart part) {
    return tables_.at(Cell{CellKind::products, tokens, 0})[static_cast<std::size_t>(part)] / kFsPerNs;
  }
  double layer(std::int64_t tokens, ProductPart part) { return product(tokens, part) / layers_; }
  double decodes(const Cell& cell, DecodePart part) {
    return tables_.at(cell)[static_cast<std::size_t>(part)] / kFsPerNs / layers_;
  }
  double chunks(const Cell& cell) { return tables_.at(cell)[0] / kFsPerNs / layers_; }
  double end(std::int64_t sequences) { return tables_.at(Cell{CellKind::ends, sequences, 0})[0] / kFsPerNs; }

  // The rotation of a step without chunks, beyond what dense.csv has for as many tokens of a chunk.
  double rotation_beyond(const Cell& decodes) {
    if (!tables_.has(Cell{CellKind::products, decodes.a, 0})) return 0.0;
    return this->decodes(decodes, DecodePart::rotation) - layer(decodes.a, ProductPart::rotation);
  }

 private:
  profile::LaunchTables& tables_;
  double layers_;
};

std::string us(double ns) {
  return observe::fixed(std::max(kInside, ns) / 1000.0, 3);
}

bool has_kernel(const profile::ServedModel& model, const char* name) {
  const std::vector<std::string>& kernels = profile::layer_kernels(model.type);
  return std::find(kernels.begin(), kernels.end(), name) != kernels.end();
}

// "0.0123" for a share of 1.23 %.
std::string share(double value) {
  return observe::fixed(value, 4);
}

}  // namespace

void require_profile_layers(const profile::ServedModel& model) {
  const std::vector<std::string>& types = profile::known_model_types();
  if (std::find(types.begin(), types.end(), model.type) != types.end()) return;
  throw Error::configuration(fmt::format("{}: LLMServingSim has no layers for model_type '{}'; {}", model.name,
                                         model.type, suggest(model.type, types)));
}

std::string dense_csv(const MachineProfile& profile) {
  Layers times(profile);
  const bool head_norms = has_kernel(profile.model, "qk_norm");
  std::string text = "layer,tokens,time_us\n";
  const auto write = [&](const char* name, const auto& ns) {
    for (const std::int64_t tokens : profile.grid.tokens()) {
      text += fmt::format("{},{},{}\n", name, tokens, us(ns(tokens)));
    }
  };
  const auto inside = [](std::int64_t) { return kInside; };
  write("embedding", [&](std::int64_t n) {
    return times.product(n, ProductPart::embedding) + times.product(n, ProductPart::host) - kInside;
  });
  write("layernorm", inside);
  write("qkv_proj", [&](std::int64_t n) { return times.layer(n, ProductPart::qkv) - kInside; });
  if (head_norms) write("qk_norm", inside);
  write("rotary_emb",
        [&](std::int64_t n) { return times.layer(n, ProductPart::rotation) - (head_norms ? kInside : 0.0); });
  write("o_proj", [&](std::int64_t n) { return times.layer(n, ProductPart::o); });
  write("gate_up_proj", [&](std::int64_t n) { return times.layer(n, ProductPart::gate_up) - 2 * kInside; });
  write("act_fn", inside);
  write("down_proj", [&](std::int64_t n) { return times.layer(n, ProductPart::down); });
  write("final_layernorm", inside);
  return text;
}

std::string per_sequence_csv(const MachineProfile& profile) {
  Layers times(profile);
  std::string text = "layer,sequences,time_us\n";
  for (const std::int64_t n : profile.grid.sequences()) {
    text += fmt::format("lm_head,{},{}\n", n, us(times.end(n) - kInside));
  }
  for (const std::int64_t n : profile.grid.sequences()) text += fmt::format("sampler,{},{}\n", n, us(kInside));
  return text;
}

std::string attention_csv(const MachineProfile& profile) {
  Layers times(profile);
  std::string text = "prefill_chunk,kv_prefill,n_decode,kv_decode,time_us\n";
  const auto row = [&](const Cell& chunk, const Cell& decodes, double ns) {
    // The table counts what decodes have computed before the step, without the new token.
    text +=
        fmt::format("{},{},{},{},{}\n", chunk.a, chunk.b, decodes.a, std::max<std::int64_t>(0, decodes.b - 1), us(ns));
  };
  for (const Cell& one : profile.grid.decodes()) {
    row({}, one, times.decodes(one, DecodePart::attention) + times.rotation_beyond(one));
  }
  for (const Cell& chunk : profile.grid.chunks()) {
    row(chunk, {}, times.chunks(chunk));
    for (const Cell& one : profile.grid.decodes()) {
      row(chunk, one, times.chunks(chunk) + times.decodes(one, DecodePart::attention));
    }
  }
  return text;
}

std::string meta_yaml(const MachineProfile& profile) {
  const ProfileLimits& limits = profile.grid.limits();
  std::set<std::int64_t> chunks{0}, decodes{0};
  for (const Cell& cell : profile.grid.chunks()) chunks.insert(cell.a);
  for (const Cell& cell : profile.grid.decodes()) decodes.insert(cell.a);
  std::string text = fmt::format(
      "profiler_version: kernbench {}\nhardware: {}\narchitecture: {}\nmodel: {}\nvariant: {}\ntp_degrees: [{}]\n"
      "engine_effective:\n  block_size: 16\n  max_num_batched_tokens: {}\n  max_num_seqs: {}\n"
      "attention_grid:\n  max_kv: {}\n  chunks: [{}]\n  n_decode: [{}]\nskew_fit:\n  enabled: false\n",
      kVersion, profile.hardware, profile.model.type, profile.model.name, profile.variant,
      fmt::join(profile.degrees, ", "), limits.max_tokens, limits.max_seqs, limits.max_context, fmt::join(chunks, ", "),
      fmt::join(decodes, ", "));
  text += fmt::format("kernbench:\n  decode_contexts: {}\n  leave_one_out:\n", profile.contexts);
  for (const profile::LeaveOneOut& one : profile.tables.leave_one_out(0)) {
    text += fmt::format("    - {{table: '{}', tp: {}, cells: {}, mean: {}, most: {}, at: [{}, {}], of_step: {}}}\n",
                        one.table, profile.tp, one.cells, share(one.mean), share(one.most), one.worst.a, one.worst.b,
                        share(one.of_step));
  }
  return text;
}

}  // namespace kb::cells
