// An AXI4 port for accesses of a device to an RTL memory (Verilator --sc) at pins, made by its DMA or by a block with
// `impl: tlm.memory`:
//
//   kb::AxiMemoryPort<64> memory("memory");
//   npu.host_memory.bind(memory.target);
//   memory.aclk(clk);            // and the other ports, to signals of the bench
#pragma once

#include <tlm_utils/simple_target_socket.h>

#include <algorithm>
#include <deque>

#include "sim/ports/device/axi_words.h"

namespace kb {

// The manager side: kDataBits of 8 to 512, one id, incrementing bursts of at most 256 full-width beats that do not
// cross a multiple of 4 KiB; unwritten bytes have no strobe. Transfers of several callers are served in call order, and
// the next address is offered while others are in flight. It is always ready for data and answers. All outputs change
// after rising edges of aclk; a call takes effect from the next edge on. aresetn is ignored after it has been 1 for the
// first time. A streaming width below the length is a burst error.
template <unsigned kDataBits, unsigned kAddressBits = 64>
class AxiMemoryPort final : public sc_core::sc_module {
 public:
  using Data = AxiWord<kDataBits>;
  using Strobes = AxiWord<kDataBits / 8>;
  using Address = AxiWord<kAddressBits>;
  using Number = std::uint32_t;

  tlm_utils::simple_target_socket<AxiMemoryPort> target{"target"};

  sc_core::sc_in<bool> aclk{"aclk"}, aresetn{"aresetn"};
  sc_core::sc_out<bool> awvalid{"awvalid"}, wvalid{"wvalid"}, wlast{"wlast"}, bready{"bready"};
  sc_core::sc_out<bool> arvalid{"arvalid"}, rready{"rready"};
  sc_core::sc_out<Number> awid{"awid"}, awlen{"awlen"}, awsize{"awsize"}, awburst{"awburst"};
  sc_core::sc_out<Number> arid{"arid"}, arlen{"arlen"}, arsize{"arsize"}, arburst{"arburst"};
  sc_core::sc_out<Address> awaddr{"awaddr"}, araddr{"araddr"};
  sc_core::sc_out<Data> wdata{"wdata"};
  sc_core::sc_out<Strobes> wstrb{"wstrb"};
  sc_core::sc_in<bool> awready{"awready"}, wready{"wready"}, bvalid{"bvalid"};
  sc_core::sc_in<bool> arready{"arready"}, rvalid{"rvalid"}, rlast{"rlast"};
  sc_core::sc_in<Number> bid{"bid"}, bresp{"bresp"}, rid{"rid"}, rresp{"rresp"};
  sc_core::sc_in<Data> rdata{"rdata"};

  explicit AxiMemoryPort(const sc_core::sc_module_name& name) : sc_core::sc_module(name) {
    SC_HAS_PROCESS(AxiMemoryPort);
    target.register_b_transport(this, &AxiMemoryPort::b_transport);
    SC_METHOD(edge);
    sensitive << aclk.pos();
    dont_initialize();
  }

 private:
  static constexpr std::uint64_t kLanes = kDataBits / 8, kMaxBeats = 256, kBoundary = 4096;

  struct Transfer {
    tlm::tlm_generic_payload* payload = nullptr;
    std::size_t bursts = 0;  // number of unfinished bursts
    Number worst = 0;        // most severe response
    sc_core::sc_event done;
  };
  struct Burst {
    Transfer* transfer = nullptr;
    std::uint64_t begin = 0, end = 0;  // requested bytes
    Number beat = 0;                   // next beat on the data channel

    std::uint64_t address() const { return begin / kLanes * kLanes; }
    Number beats() const { return static_cast<Number>((end - address() + kLanes - 1) / kLanes); }
  };

  void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
    if (delay > sc_core::SC_ZERO_TIME) sc_core::wait(delay);
    delay = sc_core::SC_ZERO_TIME;
    const std::uint64_t begin = payload.get_address(), end = begin + payload.get_data_length();
    if (payload.get_command() == tlm::TLM_IGNORE_COMMAND) {
      payload.set_response_status(tlm::TLM_OK_RESPONSE);
      return;
    }
    if (payload.get_data_length() == 0 || payload.get_streaming_width() < payload.get_data_length()) {
      payload.set_response_status(tlm::TLM_BURST_ERROR_RESPONSE);
      return;
    }
    Transfer transfer;
    transfer.payload = &payload;
    for (std::uint64_t at = begin; at < end;) {
      Burst burst;
      burst.transfer = &transfer;
      burst.begin = at;
      burst.end = std::min({end, (at / kBoundary + 1) * kBoundary, burst.address() + kMaxBeats * kLanes});
      at = burst.end;
      ++transfer.bursts;
      (payload.is_write() ? write_addresses_ : read_addresses_).push_back(burst);
      if (payload.is_write()) write_data_.push_back(burst);
    }
    sc_core::wait(transfer.done);
    payload.set_response_status(transfer.worst == 0   ? tlm::TLM_OK_RESPONSE
                                : transfer.worst == 3 ? tlm::TLM_ADDRESS_ERROR_RESPONSE
                                                      : tlm::TLM_GENERIC_ERROR_RESPONSE);
  }

  void edge() {
    running_ = running_ || aresetn.read();
    if (!running_) return;
    if (arvalid_now_ && arready.read()) move_first(read_addresses_, reads_);
    if (awvalid_now_ && awready.read()) move_first(write_addresses_, writes_);
    if (wvalid_now_ && wready.read() && ++write_data_.front().beat == write_data_.front().beats()) {
      write_data_.pop_front();
    }
    if (rvalid.read() && !reads_.empty()) take_read();
    if (bvalid.read() && !writes_.empty()) {
      finish(writes_.front(), bresp.read());
      writes_.pop_front();
    }
    drive();
  }

  static void move_first(std::deque<Burst>& from, std::deque<Burst>& to) {
    to.push_back(from.front());
    from.pop_front();
  }

  void take_read() {
    Burst& burst = reads_.front();
    unsigned char lanes[kLanes];
    axi_lanes<kDataBits>(rdata.read(), lanes);
    tlm::tlm_generic_payload& payload = *burst.transfer->payload;
    for_each_byte(burst, [&](std::uint64_t at) {
      if (enabled(payload, at)) payload.get_data_ptr()[at - payload.get_address()] = lanes[at % kLanes];
    });
    burst.transfer->worst = std::max(burst.transfer->worst, rresp.read());
    if (++burst.beat < burst.beats()) return;
    finish(burst, 0);
    reads_.pop_front();
  }

  static void finish(const Burst& burst, Number response) {
    burst.transfer->worst = std::max(burst.transfer->worst, response);
    if (--burst.transfer->bursts == 0) burst.transfer->done.notify();
  }

  template <typename F>
  static void for_each_byte(const Burst& burst, F f) {
    const std::uint64_t from = burst.address() + burst.beat * kLanes;
    for (std::uint64_t at = std::max(from, burst.begin); at < std::min(from + kLanes, burst.end); ++at) f(at);
  }
  static bool enabled(const tlm::tlm_generic_payload& payload, std::uint64_t at) {
    const unsigned char* const enables = payload.get_byte_enable_ptr();
    if (enables == nullptr) return true;
    return enables[(at - payload.get_address()) % payload.get_byte_enable_length()] != TLM_BYTE_DISABLED;
  }

  void drive() {
    constexpr Number kIncrementing = 1;
    rready = true;
    bready = true;
    arvalid = arvalid_now_ = !read_addresses_.empty();
    if (arvalid_now_) {
      araddr = static_cast<Address>(read_addresses_.front().address());
      arlen = read_addresses_.front().beats() - 1;
    }
    awvalid = awvalid_now_ = !write_addresses_.empty();
    if (awvalid_now_) {
      awaddr = static_cast<Address>(write_addresses_.front().address());
      awlen = write_addresses_.front().beats() - 1;
    }
    arid = 0;
    awid = 0;
    arsize = axi_size(kLanes);
    awsize = axi_size(kLanes);
    arburst = kIncrementing;
    awburst = kIncrementing;
    wvalid = wvalid_now_ = !write_data_.empty();
    if (wvalid_now_) drive_beat(write_data_.front());
  }

  void drive_beat(const Burst& burst) {
    const tlm::tlm_generic_payload& payload = *burst.transfer->payload;
    unsigned char lanes[kLanes] = {};
    std::uint64_t strobes = 0;
    for_each_byte(burst, [&](std::uint64_t at) {
      lanes[at % kLanes] = payload.get_data_ptr()[at - payload.get_address()];
      if (enabled(payload, at)) strobes |= std::uint64_t{1} << (at % kLanes);
    });
    wdata = axi_word<kDataBits>(lanes);
    wstrb = static_cast<Strobes>(strobes);
    wlast = burst.beat + 1 == burst.beats();
  }

  // Bursts whose address is not accepted yet (_addresses_), whose data is not accepted yet (_data_), and bursts with an
  // accepted address.
  std::deque<Burst> read_addresses_, reads_;
  std::deque<Burst> write_addresses_, write_data_, writes_;
  bool running_ = false;
  bool arvalid_now_ = false, awvalid_now_ = false, wvalid_now_ = false;
};

}  // namespace kb
