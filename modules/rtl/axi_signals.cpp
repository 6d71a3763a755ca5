#include "modules/rtl/axi_signals.h"

#include <cstring>

namespace kb::modules {

namespace {

template <typename T>
class WordSignal final : public DataSignal {
 public:
  WordSignal(const char* name, std::uint32_t bytes) : signal_(name), bytes_(bytes) {}
  void set(const std::uint8_t* bytes) override {
    T word = 0;
    std::memcpy(&word, bytes, bytes_);
    signal_ = word;
  }

 private:
  sc_core::sc_signal<T> signal_;
  std::uint32_t bytes_;
};

template <int kBits>
class BitsSignal final : public DataSignal {
 public:
  explicit BitsSignal(const char* name) : signal_(name) {}
  void set(const std::uint8_t* bytes) override {
    sc_dt::sc_bv<kBits> bits;
    for (int i = 0; i < kBits / 32; ++i) {
      std::uint32_t word = 0;
      std::memcpy(&word, bytes + 4 * i, sizeof word);
      bits.set_word(i, word);
    }
    signal_ = bits;
  }

 private:
  sc_core::sc_signal<sc_dt::sc_bv<kBits>> signal_;
};

constexpr std::uint32_t kIncrementing = 1;

}  // namespace

std::unique_ptr<DataSignal> DataSignal::make(const char* name, std::uint32_t bytes) {
  if (bytes <= 4) return std::make_unique<WordSignal<std::uint32_t>>(name, bytes);
  if (bytes == 8) return std::make_unique<WordSignal<std::uint64_t>>(name, bytes);
  if (bytes == 16) return std::make_unique<BitsSignal<128>>(name);
  if (bytes == 32) return std::make_unique<BitsSignal<256>>(name);
  return std::make_unique<BitsSignal<512>>(name);
}

AxiSignals::AxiSignals(const sc_core::sc_module_name& name, const PinPlace& place, const AxiPort& port,
                       const RtlClock& clock, IPinSource& source)
    : PinClock(name, place, clock, source),
      wdata_(DataSignal::make("wdata", port.beat_bytes)),
      rdata_(DataSignal::make("rdata", port.beat_bytes)) {}

void AxiSignals::show(const AxiManagerPins& manager, const AxiMemoryPins& memory) {
  awvalid_ = manager.awvalid, awready_ = memory.awready;
  if (manager.awvalid) {
    awid_ = manager.awid, awaddr_ = manager.awaddr;
    awlen_ = manager.awlen, awsize_ = manager.awsize, awburst_ = kIncrementing;
  }
  wvalid_ = manager.wvalid, wready_ = memory.wready;
  wlast_ = manager.wvalid && manager.wlast;
  if (manager.wvalid) {
    wstrb_ = manager.wstrb;
    wdata_->set(manager.wdata.data());
  }
  bvalid_ = memory.bvalid, bready_ = manager.bready;
  if (memory.bvalid) bid_ = memory.bid, bresp_ = memory.bresp;
  arvalid_ = manager.arvalid, arready_ = memory.arready;
  if (manager.arvalid) {
    arid_ = manager.arid, araddr_ = manager.araddr;
    arlen_ = manager.arlen, arsize_ = manager.arsize, arburst_ = kIncrementing;
  }
  rvalid_ = memory.rvalid, rready_ = manager.rready;
  rlast_ = memory.rvalid && memory.rlast;
  if (memory.rvalid) {
    rid_ = memory.rid, rresp_ = memory.rresp;
    rdata_->set(memory.rdata.data());
  }
  busy_ = memory.busy;
}

}  // namespace kb::modules
