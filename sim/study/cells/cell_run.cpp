#include "sim/study/cells/cell_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "platform/address/address_config.h"
#include "platform/base/error.h"
#include "platform/base/size_text.h"
#include "platform/model/arena.h"
#include "platform/model/graph.h"
#include "sim/study/process/isolate.h"
#include "sim/study/step/answer.h"
#include "sw/model/lowering.h"

namespace kb::cells {
namespace {

using model::Batch;
using model::Phase;
using profile::Cell;
using profile::CellKind;
using profile::DecodePart;
using profile::ProductPart;

using step::Answer;

std::vector<Answer> in_a_process(const std::function<std::vector<Answer>()>& simulation) {
  return step::answers_of(sim::run_isolated({[&] { return step::answers_text(simulation()); }}).at(0));
}

const std::map<std::string, ProductPart>& product_launches() {
  static const std::map<std::string, ProductPart> parts = {{"embed", ProductPart::embedding},
                                                           {"input_norm", ProductPart::qkv},
                                                           {"qkv", ProductPart::qkv},
                                                           {"rope_append", ProductPart::rotation},
                                                           {"o", ProductPart::o},
                                                           {"mlp_norm", ProductPart::gate_up},
                                                           {"gate", ProductPart::gate_up},
                                                           {"up", ProductPart::gate_up},
                                                           {"gate_up", ProductPart::gate_up},
                                                           {"swiglu", ProductPart::gate_up},
                                                           {"down", ProductPart::down}};
  return parts;
}

std::optional<std::size_t> part(bool belongs, std::size_t number) {
  return belongs ? std::optional<std::size_t>(number) : std::nullopt;
}

// Which part of a cell of this kind a launch is.
std::optional<std::size_t> part_of(CellKind kind, const sw::ProgramLaunch& launch) {
  if (launch.is_sum()) return part(kind == CellKind::sums, 0);
  const bool decodes = launch.kernel == "paged_attention_decode", chunks = launch.kernel == "paged_attention_prefill";
  if (chunks) return part(kind == CellKind::chunks, 0);
  if (decodes) return part(kind == CellKind::decodes, static_cast<std::size_t>(DecodePart::attention));
  if (launch.name == "head" || launch.name == "argmax") {
    return part(kind == CellKind::ends || kind == CellKind::picked_ends, 0);
  }
  const auto found = product_launches().find(launch.name);
  if (found == product_launches().end()) {
    throw Error::model("launch '" + launch.name + "' belongs to no table of launches");
  }
  if (kind == CellKind::decodes) {
    return part(found->second == ProductPart::rotation, static_cast<std::size_t>(DecodePart::rotation));
  }
  return part(kind == CellKind::products, static_cast<std::size_t>(found->second));
}

// The launches of one batch of a cell.
class BatchRun {
 public:
  BatchRun(const CellSetup& setup, const step::Memo& memo, CellKind kind, const Batch& batch, bool with_events)
      : setup_(setup),
        memo_(memo),
        kind_(kind),
        with_events_(with_events),
        program_(program_of(setup, batch)),
        keys_(program_, setup.machines.one, setup.machines.all, setup.identity),
        offsets_(static_cast<std::size_t>(program_.ranks)) {
    const std::uint64_t there = model::arena_geometry(setup.machines.one.graph.spec).slice_bytes;
    if (program_.slice_bytes <= there) return;
    throw Error::configuration(
        fmt::format("a step of {} needs {} of the {} of a PE's HBM; use a larger --tp, a smaller --max-seqs or "
                    "--max-tokens, or a machine with more HBM",
                    batch.text(), size_text(program_.slice_bytes), size_text(there)));
  }

  // Adds the times of the parts, and their events.
  void add(TimeFs gap, CellAnswer& answer) {
    simulate_missing();
    for (std::size_t at = 0; at < program_.launches.size(); ++at) {
      const std::optional<std::size_t> part = part_of(kind_, program_.launches[at]);
      if (!part) continue;
      TimeFs time = 0_fs;
      const std::vector<std::string> keys = keys_of(at);
      for (const std::string& key : keys) {
        time = std::max(time, longest(key));
        if (simulated_.count(key) == 0) answer.used.insert(key);
      }
      answer.times[*part] += time + (at > 0 ? gap : 0_fs);
      if (with_events_) add_events(at, keys, answer.events[*part]);
    }
    if (kind_ == CellKind::products) {
      const std::string key = keys_.host_turn();
      if (memo_.find(key) == nullptr) {
        keep(key, "host turn", in_a_process([&] {
                                 return std::vector<Answer>{
                                     {{step::simulate_host_turn(setup_.machines.one, setup_.catalogs, program_)}, {}}};
                               }).at(0));
      }
      answer.times[static_cast<std::size_t>(ProductPart::host)] += longest(key);
    }
    answer.launches.insert(answer.launches.end(), simulated_.begin(), simulated_.end());
  }

 private:
  // A launch of each SIP where they differ; a sum has one key.
  std::vector<std::string> keys_of(std::size_t at) const {
    const sw::ProgramLaunch& launch = program_.launches[at];
    if (launch.is_sum()) return {keys_.sum(at, offsets_)};
    std::vector<std::string> keys;
    for (std::int64_t rank = 0; rank < (launch.depends_on_rank() ? program_.ranks : 1); ++rank) {
      keys.push_back(keys_.launch(at, rank));
    }
    return keys;
  }
  const Answer& answer_of(const std::string& key) const {
    const auto found = simulated_.find(key);
    return found != simulated_.end() ? found->second.answer : *memo_.find(key);
  }
  TimeFs longest(const std::string& key) const {
    const std::vector<TimeFs>& times = answer_of(key).times;
    return *std::max_element(times.begin(), times.end());
  }
  bool is_known(const std::string& key) const {
    const Answer* const known = memo_.find(key);
    return known != nullptr && (!with_events_ || known->events);
  }
  // All SIPs count: those that do not differ have one key.
  void add_events(std::size_t at, const std::vector<std::string>& keys, step::Events& sum) const {
    const bool alike = !program_.launches[at].is_sum() && keys.size() == 1;
    for (std::int64_t i = 0; i < (alike ? program_.ranks : 1); ++i) {
      for (const std::string& key : keys) sum.add(*answer_of(key).events);
    }
  }

  void simulate_missing() {
    std::vector<std::string> missing;
    std::vector<sw::LaunchOnRank> wanted;
    std::set<std::string> seen;
    for (std::size_t at = 0; at < program_.launches.size(); ++at) {
      if (!part_of(kind_, program_.launches[at])) continue;
      const std::vector<std::string> keys = keys_of(at);
      for (std::size_t rank = 0; rank < keys.size(); ++rank) {
        if (is_known(keys[rank]) || !seen.insert(keys[rank]).second) continue;
        if (program_.launches[at].is_sum()) {
          keep(keys[rank], "sum over SIPs", in_a_process([&] {
                                              return std::vector<Answer>{step::simulate_sum(
                                                  setup_.machines.all, setup_.catalogs, program_, at, offsets_)};
                                            }).at(0));
          continue;
        }
        missing.push_back(keys[rank]);
        wanted.push_back({at, static_cast<std::int64_t>(rank)});
      }
    }
    if (wanted.empty()) return;
    const std::vector<Answer> answers =
        in_a_process([&] { return step::simulate_launches(setup_.machines.one, setup_.catalogs, program_, wanted); });
    for (std::size_t i = 0; i < missing.size(); ++i) {
      keep(missing[i], program_.launches[wanted[i].launch].kernel, answers.at(i));
    }
  }
  void keep(const std::string& key, const std::string& kernel, Answer answer) {
    simulated_.insert_or_assign(key, step::StoredAnswer{std::move(answer), {kernel, "", ""}});
  }

  const CellSetup& setup_;
  const step::Memo& memo_;
  CellKind kind_;
  bool with_events_;
  sw::Program program_;
  step::LaunchKeys keys_;
  std::vector<TimeFs> offsets_;  // SIPs begin a sum together
  std::map<std::string, step::StoredAnswer> simulated_;
};

Batch decodes(const CellSetup& setup, const Cell& cell, std::int64_t draw) {
  Batch batch;
  const std::int64_t longest = setup.spec.max_positions > 0 ? setup.spec.max_positions : INT64_MAX;
  const std::int64_t mean = fitting_key(setup, cell);
  for (const std::int64_t context : setup.pattern.contexts(cell.a, mean, draw, longest)) {
    batch.sequences.push_back({1, context - 1, 1});
  }
  return batch;
}

}  // namespace

sw::Program program_of(const CellSetup& setup, const Batch& batch) {
  const topology::MachineSpec& machine = setup.machines.one.graph.spec;
  const model::Graph graph = model::build_graph(setup.spec, setup.plan, batch, setup.dtype, 0);
  const model::ArenaGeometry geometry = model::arena_geometry(machine);
  const std::uint64_t tcm = address::AddressConfig::from_spec(machine).tcm_allocatable_bytes() / 8;
  return sw::lower({setup.spec, graph, setup.plan, batch, geometry, tcm});
}

std::int64_t fitting_key(const CellSetup& setup, const Cell& cell) {
  const bool decodes = cell.kind == CellKind::decodes;
  if (!decodes && cell.kind != CellKind::chunks) return cell.b;
  std::int64_t most = setup.spec.max_positions > 0 && decodes ? setup.spec.max_positions : INT64_MAX;
  if (setup.blocks > 0) {
    // The last block of a sequence is not full.
    const std::int64_t tokens = (setup.blocks / (decodes ? cell.a : 1) - 1) * model::kCacheBlock;
    most = std::min(most, decodes ? tokens : tokens - cell.a);
  }
  return std::clamp<std::int64_t>(most, decodes ? 1 : 0, std::max<std::int64_t>(cell.b, decodes ? 1 : 0));
}

std::vector<Batch> batches_of(const CellSetup& setup, const Cell& cell) {
  constexpr std::int64_t kContext = model::kCacheBlock, kChunk = 64;
  switch (cell.kind) {
    case CellKind::products:
    case CellKind::sums:
      return {{Phase::prefill, {{1, 0, cell.a}}}};
    case CellKind::ends:
      return {{Phase::decode, {{cell.a, kContext - 1, 1}}}};
    case CellKind::picked_ends:
      if (cell.a == 1) return {{Phase::prefill, {{1, 0, kChunk}}}};
      return {{Phase::prefill, {{1, 0, kChunk}, {cell.a - 1, kContext - 1, 1}}}};
    case CellKind::chunks:
      return {{Phase::prefill, {{1, fitting_key(setup, cell), cell.a}}}};
    case CellKind::decodes:
      break;
  }
  std::vector<Batch> batches;
  for (std::size_t draw = 0; draw < batch_count(cell); ++draw) {
    batches.push_back(decodes(setup, cell, static_cast<std::int64_t>(draw)));
  }
  return batches;
}

// One sample of few contexts says little.
std::size_t batch_count(const Cell& cell) {
  constexpr std::int64_t kSequences = 16, kFewest = 2;
  if (cell.kind != CellKind::decodes || cell.a == 1) return 1;
  return static_cast<std::size_t>(std::max(kFewest, kSequences / cell.a));
}

profile::AttentionShape attention_shape(const CellSetup& setup) {
  const model::ArenaGeometry geometry = model::arena_geometry(setup.machines.one.graph.spec);
  profile::AttentionShape shape;
  shape.machine = {geometry.pes / geometry.pes_per_cube, geometry.pes_per_cube};
  shape.heads = setup.spec.heads / setup.plan.tp;
  shape.kv_heads = model::local_kv_heads(setup.spec, setup.plan.tp);
  shape.window = setup.spec.layers.front().window;
  return shape;
}

double work_of(const CellSetup& setup, const Cell& cell) {
  if (cell.kind != CellKind::chunks) return 1.0;
  return profile::chunk_work(attention_shape(setup), {{0, cell.a, cell.a + fitting_key(setup, cell)}});
}

CellAnswer run_cell(const CellSetup& setup, const step::Memo& memo, const Cell& cell, TimeFs gap, bool with_events) {
  CellAnswer answer;
  answer.times.resize(profile::parts_of(cell.kind));
  if (with_events) answer.events.resize(answer.times.size());
  const std::vector<Batch> batches = batches_of(setup, cell);
  for (const Batch& batch : batches) BatchRun(setup, memo, cell.kind, batch, with_events).add(gap, answer);
  for (TimeFs& time : answer.times) time /= static_cast<std::int64_t>(batches.size());
  return answer;
}

}  // namespace kb::cells
