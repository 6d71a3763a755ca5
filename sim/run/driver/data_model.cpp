#include "sim/run/driver/data_model.h"

#include <fmt/format.h>

#include <array>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

#include "platform/address/address_space.h"
#include "platform/address/phys_addr.h"
#include "platform/base/names.h"
#include "platform/data/op_log_file.h"
#include "platform/record/activity_recorder.h"
#include "platform/topology/coordinates.h"

namespace kb::sim {
namespace {

// The memory name of an address. No slot of the smallest unit contains two memories, so that recently used slots need
// no decoding.
class SpaceNames {
 public:
  std::string_view operator()(std::uint64_t pa) {
    const std::uint64_t slot = pa / address::kUnitSlotBytes;
    Entry& entry = recent_[slot % recent_.size()];
    if (entry.slot != slot) entry = {slot, decode(pa)};
    return entry.name;
  }

 private:
  struct Entry {
    std::uint64_t slot = ~std::uint64_t{0};
    std::string_view name;
  };
  static std::string_view decode(std::uint64_t pa) {
    if (address::space_of(pa) == address::AddressSpace::message) return "message";
    const address::PhysAddr address = address::PhysAddr::decode(pa);
    if (address.is_hbm()) return "hbm";
    if (address.is_sram()) return "sram";
    return address.is_tcm() ? "tcm" : "other";
  }

  std::array<Entry, 64> recent_;
};

std::unique_ptr<data::IOpSink> make_log(const topology::Graph& graph, const SimulationOptions& options) {
  if (options.oplog == nullptr) return nullptr;
  data::OpLog::Options log;
  log.nodes = topology::node_entries(graph);
  log.space = SpaceNames();
  log.engines = graph.spec.engines;
  log.facts = options.oplog_facts;
  log.activity = options.recorder;
  log.series_label = [&graph](const record::SeriesInfo& series) { return series.label(graph); };
  return data::open_op_log(*options.oplog, std::move(log));
}
data::DataEngine::Options engine_options(const topology::Graph& graph, data::IOpSink* sink) {
  data::DataEngine::Options options;
  options.component_name = [&graph](NodeId node) { return node.valid() ? graph.node(node).id : std::string("host"); };
  options.pe_name = [&graph](NodeId node) { return node.valid() ? pe_name(graph.node(node).pe_coord()) : "host"; };
  options.sink = sink;
  return options;
}

std::string address_text(std::uint64_t pa) {
  return address::space_of(pa) == address::AddressSpace::message ? address::encoded_text(pa)
                                                                 : address::PhysAddr::decode(pa).to_string();
}

}  // namespace

DataModel::DataModel(const topology::Graph& graph, const SimulationOptions& options)
    : graph_(graph),
      memory_({options.strict, address_text}),
      log_(make_log(graph, options)),
      engine_(options.data_mode, memory_, engine_options(graph, log_.get())),
      recorder_(engine_, options.log_outside_writes ? data::DataEngine::Logged::yes : data::DataEngine::Logged::no) {}

DataModel::~DataModel() = default;

UnknownAccesses DataModel::unknown_accesses() const {
  const data::DataEngine::Unknown& unknown = engine_.unknown();
  if (unknown.count == 0) return {};
  return {unknown.count, "tl." + unknown.call + " #" + std::to_string(unknown.call_index),
          graph_.node(unknown.component).id};
}

std::vector<std::string> DataModel::unwritten_warnings(const account::PlaceTable* places) const {
  struct Group {
    std::string text;
    std::set<std::uint64_t> launches;
  };
  std::map<std::tuple<std::string, std::string, int, std::string>, std::size_t> known;
  std::vector<Group> groups;
  for (const data::DataEngine::Unwritten& one : engine_.unwritten()) {
    const std::string tensor = places == nullptr ? "" : (*places)[(*places)[one.place].tensor];
    const auto [at, fresh] = known.emplace(std::tuple(one.kernel, one.at.file(), one.at.line(), tensor), groups.size());
    if (fresh) {
      groups.push_back({fmt::format("kernel {} read {} that was never written and counts as zero: {} on {}, the first "
                                    "byte at {}",
                                    one.kernel, tensor.empty() ? "memory" : "memory of tensor '" + tensor + "'",
                                    one.call, one.pe, memory_.format_address(one.pa)),
                        {}});
    }
    groups[at->second].launches.insert(places == nullptr ? 0 : (*places)[one.place].launch);
  }
  std::vector<std::string> warnings;
  for (const Group& group : groups) {
    const std::size_t more = group.launches.size() - 1;
    warnings.push_back(group.text +
                       (more == 0 ? "" : fmt::format(", and in {} more launch{}", more, more == 1 ? "" : "es")) +
                       "; write it before the launch");
  }
  return warnings;
}

void DataModel::poke(std::uint64_t pa, const std::byte* bytes, std::uint64_t nbytes) {
  engine_.sync();
  memory_.write(pa, bytes, nbytes);
  engine_.forget(pa, nbytes);
}

void DataModel::finish() {
  engine_.sync();
  finish_log();
}

void DataModel::finish_log() {
  if (log_) log_->finish();
}

}  // namespace kb::sim
