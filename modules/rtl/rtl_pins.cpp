#include "modules/rtl/rtl_pins.h"

namespace kb::modules {

namespace {

constexpr const char* kGroup = "pins";
constexpr int kFlitBits = 64;

class Declare {
 public:
  Declare(contract::ISignalObserver& observer, const std::string& node) : observer_(observer), node_(node) {}
  Probe operator()(const std::string& name, int bits = 1) const {
    return {&observer_, {node_, kGroup, name, bits, {}}};
  }

 private:
  contract::ISignalObserver& observer_;
  const std::string& node_;
};

// The part of the neighbour's name that distinguishes it from other neighbours of the node.
std::string beside(const std::string& node, const std::string& neighbour) {
  const std::string parent = node.substr(0, node.rfind('.') + 1);
  return neighbour.compare(0, parent.size(), parent) == 0 ? neighbour.substr(parent.size()) : neighbour;
}

}  // namespace

RouterPins::RouterPins(contract::ISignalObserver& observer, const std::string& node,
                       const std::vector<std::string>& neighbours)
    : in_valid_(Declare(observer, node)("in_valid", IRouterModel::kPorts)),
      in_taken_(Declare(observer, node)("in_taken", IRouterModel::kPorts)),
      out_valid_(Declare(observer, node)("out_valid", IRouterModel::kPorts)),
      out_ready_(Declare(observer, node)("out_ready", IRouterModel::kPorts)),
      busy_(Declare(observer, node)("busy")) {
  const Declare declare(observer, node);
  for (std::size_t i = 0; i < neighbours.size(); ++i) {
    const std::string port = std::to_string(i) + "." + beside(node, neighbours[i]);
    in_flit_.push_back(declare("in_flit" + port, kFlitBits));
    out_flit_.push_back(declare("out_flit" + port, kFlitBits));
  }
}

void RouterPins::edge(TimeFs at, const IRouterModel::Inputs& in, const IRouterModel::Outputs& out) {
  in_valid_.set(at, in.in_valid);
  in_taken_.set(at, out.taken);
  out_ready_.set(at, in.out_ready);
  out_valid_.set(at, out.out_valid);
  busy_.set(at, out.busy ? 1 : 0);
  for (std::size_t i = 0; i < in_flit_.size(); ++i) {
    if ((in.in_valid >> i & 1u) != 0) in_flit_[i].set(at, in.in_flit[i]);
    if ((out.out_valid >> i & 1u) != 0) out_flit_[i].set(at, out.out_flit[i]);
  }
}

void RouterPins::rest(TimeFs at) {
  in_valid_.set(at, 0);
  in_taken_.set(at, 0);
  out_ready_.set(at, 0);
}

AxiPins::AxiPins(contract::ISignalObserver& observer, const std::string& node)
    : arvalid_(Declare(observer, node)("arvalid")),
      arready_(Declare(observer, node)("arready")),
      araddr_(Declare(observer, node)("araddr", 64)),
      arlen_(Declare(observer, node)("arlen", 8)),
      rvalid_(Declare(observer, node)("rvalid")),
      rready_(Declare(observer, node)("rready")),
      rlast_(Declare(observer, node)("rlast")),
      awvalid_(Declare(observer, node)("awvalid")),
      awready_(Declare(observer, node)("awready")),
      awaddr_(Declare(observer, node)("awaddr", 64)),
      awlen_(Declare(observer, node)("awlen", 8)),
      wvalid_(Declare(observer, node)("wvalid")),
      wready_(Declare(observer, node)("wready")),
      wlast_(Declare(observer, node)("wlast")),
      bvalid_(Declare(observer, node)("bvalid")),
      bready_(Declare(observer, node)("bready")),
      busy_(Declare(observer, node)("busy")) {}

void AxiPins::edge(TimeFs at, const AxiManagerPins& manager, const AxiMemoryPins& memory, bool busy) {
  arvalid_.set(at, manager.arvalid ? 1 : 0);
  arready_.set(at, memory.arready ? 1 : 0);
  rvalid_.set(at, memory.rvalid ? 1 : 0);
  rready_.set(at, manager.rready ? 1 : 0);
  awvalid_.set(at, manager.awvalid ? 1 : 0);
  awready_.set(at, memory.awready ? 1 : 0);
  wvalid_.set(at, manager.wvalid ? 1 : 0);
  wready_.set(at, memory.wready ? 1 : 0);
  bvalid_.set(at, memory.bvalid ? 1 : 0);
  bready_.set(at, manager.bready ? 1 : 0);
  busy_.set(at, busy ? 1 : 0);
  if (manager.arvalid) araddr_.set(at, manager.araddr), arlen_.set(at, manager.arlen);
  if (manager.awvalid) awaddr_.set(at, manager.awaddr), awlen_.set(at, manager.awlen);
  rlast_.set(at, memory.rvalid && memory.rlast ? 1 : 0);
  wlast_.set(at, manager.wvalid && manager.wlast ? 1 : 0);
}

void AxiPins::rest(TimeFs at) {
  for (Probe* pin : {&arvalid_, &rvalid_, &rlast_, &awvalid_, &wvalid_, &wlast_, &bvalid_}) pin->set(at, 0);
}

MacPins::MacPins(contract::ISignalObserver& observer, const std::string& node)
    : busy_(Declare(observer, node)("busy")),
      m_blocks_(Declare(observer, node)("m_blocks", 32)),
      n_blocks_(Declare(observer, node)("n_blocks", 32)),
      k_(Declare(observer, node)("k", 32)),
      cycles_(Declare(observer, node)("cycles", 64)) {}

void MacPins::product(TimeFs edge, TimeFs time, std::int64_t m, std::int64_t k, std::int64_t n, std::int64_t cycles) {
  const auto blocks = [](std::int64_t size) {
    return static_cast<std::uint64_t>((size + IMacArray::kSize - 1) / IMacArray::kSize);
  };
  m_blocks_.set(edge, blocks(m));
  n_blocks_.set(edge, blocks(n));
  k_.set(edge, static_cast<std::uint64_t>(k));
  cycles_.set(edge, static_cast<std::uint64_t>(cycles));
  busy_.set(edge, 1);
  busy_.set(time_sum(edge, time), 0);
}

}  // namespace kb::modules
