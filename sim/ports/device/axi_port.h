// An AXI4 port for a target socket of a device, for an RTL test bench (Verilator --sc) that reads and writes the
// device's memories at pins:
//
//   kb::AxiPort<512> port("port");
//   port.initiator.bind(npu.target("cpu0"));
//   port.aclk(clk);            // and the other ports, to signals of the bench
#pragma once

#include <tlm_utils/simple_initiator_socket.h>

#include <algorithm>
#include <deque>
#include <memory>
#include <vector>

#include "sim/ports/device/axi_words.h"

namespace kb {

// The subordinate side: kDataBits of 8 to 512, ids of up to 32 bits, INCR, FIXED and WRAP bursts of any size, strobes.
// Up to `max_bursts` bursts per direction are in flight; the answers of each direction come in the order of their
// addresses. A burst is sent to the device as a blocking transfer after the edge with its address, or with its last
// data beat: one transfer per beat for FIXED, two where WRAP wraps. All outputs change after rising edges of aclk.
// aresetn is ignored after it has been 1 for the first time. The AXI4 signals lock, cache, prot and qos have no effect
// and no ports.
template <unsigned kDataBits, unsigned kAddressBits = 64>
class AxiPort final : public sc_core::sc_module {
 public:
  using Data = AxiWord<kDataBits>;
  using Strobes = AxiWord<kDataBits / 8>;
  using Address = AxiWord<kAddressBits>;
  using Number = std::uint32_t;

  tlm_utils::simple_initiator_socket<AxiPort> initiator{"initiator"};

  sc_core::sc_in<bool> aclk{"aclk"}, aresetn{"aresetn"};
  sc_core::sc_in<bool> awvalid{"awvalid"}, wvalid{"wvalid"}, wlast{"wlast"}, bready{"bready"};
  sc_core::sc_in<bool> arvalid{"arvalid"}, rready{"rready"};
  sc_core::sc_in<Number> awid{"awid"}, awlen{"awlen"}, awsize{"awsize"}, awburst{"awburst"};
  sc_core::sc_in<Number> arid{"arid"}, arlen{"arlen"}, arsize{"arsize"}, arburst{"arburst"};
  sc_core::sc_in<Address> awaddr{"awaddr"}, araddr{"araddr"};
  sc_core::sc_in<Data> wdata{"wdata"};
  sc_core::sc_in<Strobes> wstrb{"wstrb"};
  sc_core::sc_out<bool> awready{"awready"}, wready{"wready"}, bvalid{"bvalid"};
  sc_core::sc_out<bool> arready{"arready"}, rvalid{"rvalid"}, rlast{"rlast"};
  sc_core::sc_out<Number> bid{"bid"}, bresp{"bresp"}, rid{"rid"}, rresp{"rresp"};
  sc_core::sc_out<Data> rdata{"rdata"};

  explicit AxiPort(const sc_core::sc_module_name& name, unsigned max_bursts = 8)
      : sc_core::sc_module(name), max_bursts_(std::max(max_bursts, 1u)) {
    SC_HAS_PROCESS(AxiPort);
    SC_METHOD(edge);
    sensitive << aclk.pos();
    dont_initialize();
    workers_.init(2 * max_bursts_, [this](const char* worker, std::size_t) { return new Worker(worker, *this); });
  }

 private:
  static constexpr unsigned kLanes = kDataBits / 8;
  static constexpr Number kFixed = 0, kWrap = 2;

  struct Burst {
    bool write = false, done = false;
    Number id = 0, beats = 0, size = 0, type = 0;
    std::uint64_t address = 0;
    Number beat = 0;  // next beat on the data channel
    std::vector<unsigned char> data, enables;
    AxiResponse response = AxiResponse::okay;

    std::uint64_t bytes() const { return std::uint64_t{1} << size; }
    std::uint64_t address_of(Number index) const {
      if (index == 0 || type == kFixed) return address;
      const std::uint64_t next = (address & ~(bytes() - 1)) + index * bytes();
      const std::uint64_t all = bytes() * beats, base = address & ~(all - 1);
      return type == kWrap ? base + (next - base) % all : next;
    }
    // Bytes of a beat; only the first one may be shorter.
    std::uint64_t length_of(Number index) const {
      const std::uint64_t at = address_of(index);
      return bytes() - (at & (bytes() - 1));
    }
  };
  using Bursts = std::deque<std::shared_ptr<Burst>>;

  // Executes bursts concurrently with other workers.
  struct Worker final : sc_core::sc_module {
    Worker(const sc_core::sc_module_name& name, AxiPort& port) : sc_core::sc_module(name), port_(port) {
      SC_HAS_PROCESS(Worker);
      SC_THREAD(run);
    }
    void run() {
      for (;;) {
        while (port_.ready_.empty()) wait(port_.ready_event_);
        const std::shared_ptr<Burst> burst = port_.ready_.front();
        port_.ready_.pop_front();
        port_.transfer(*burst);
        burst->done = true;
      }
    }
    AxiPort& port_;
  };

  void edge() {
    running_ = running_ || aresetn.read();
    if (!running_) return;
    if (arready_now_ && arvalid.read()) {
      reads_.push_back(burst_of(false, arid, araddr, arlen, arsize, arburst));
      start(reads_.back());
    }
    if (awready_now_ && awvalid.read()) {
      writes_.push_back(burst_of(true, awid, awaddr, awlen, awsize, awburst));
      filling_.push_back(writes_.back());
    }
    if (wready_now_ && wvalid.read()) take_beat();
    if (rvalid_now_ && rready.read() && ++reads_.front()->beat == reads_.front()->beats) reads_.pop_front();
    if (bvalid_now_ && bready.read()) writes_.pop_front();
    drive();
  }

  std::shared_ptr<Burst> burst_of(bool write, const sc_core::sc_in<Number>& id, const sc_core::sc_in<Address>& address,
                                  const sc_core::sc_in<Number>& len, const sc_core::sc_in<Number>& size,
                                  const sc_core::sc_in<Number>& type) {
    auto burst = std::make_shared<Burst>();
    burst->write = write;
    burst->id = id.read();
    burst->address = address.read();
    burst->beats = len.read() + 1;
    burst->size = size.read();
    burst->type = type.read();
    std::uint64_t bytes = 0;
    for (Number i = 0; i < burst->beats; ++i) bytes += burst->length_of(i);
    burst->data.resize(bytes);
    if (write) burst->enables.reserve(bytes);
    return burst;
  }

  void take_beat() {
    const std::shared_ptr<Burst> burst = filling_.front();
    unsigned char lanes[kLanes] = {};
    axi_lanes<kDataBits>(wdata.read(), lanes);
    const auto strobes = static_cast<std::uint64_t>(wstrb.read());
    const std::uint64_t from = burst->address_of(burst->beat) % kLanes;
    for (std::uint64_t i = 0; i < burst->length_of(burst->beat); ++i) {
      const std::uint64_t lane = (from + i) % kLanes;
      burst->data[burst->enables.size()] = lanes[lane];
      burst->enables.push_back((strobes >> lane & 1u) != 0 ? TLM_BYTE_ENABLED : TLM_BYTE_DISABLED);
    }
    ++burst->beat;
    if (wlast.read() != (burst->beat == burst->beats)) burst->response = AxiResponse::slave_error;
    if (burst->beat < burst->beats) return;
    filling_.pop_front();
    start(burst);
  }

  void start(const std::shared_ptr<Burst>& burst) {
    ready_.push_back(burst);
    ready_event_.notify(sc_core::SC_ZERO_TIME);
  }

  void drive() {
    arready = arready_now_ = reads_.size() < max_bursts_;
    awready = awready_now_ = writes_.size() < max_bursts_;
    wready = wready_now_ = !filling_.empty();
    bvalid = bvalid_now_ = !writes_.empty() && writes_.front()->done;
    if (bvalid_now_) {
      bid = writes_.front()->id;
      bresp = static_cast<Number>(writes_.front()->response);
    }
    rvalid = rvalid_now_ = !reads_.empty() && reads_.front()->done;
    if (rvalid_now_) drive_read(*reads_.front());
  }

  void drive_read(const Burst& burst) {
    std::uint64_t offset = 0;
    for (Number i = 0; i < burst.beat; ++i) offset += burst.length_of(i);
    unsigned char lanes[kLanes] = {};
    const std::uint64_t from = burst.address_of(burst.beat) % kLanes;
    for (std::uint64_t i = 0; i < burst.length_of(burst.beat); ++i) {
      lanes[(from + i) % kLanes] = burst.data[offset + i];
    }
    rid = burst.id;
    rdata = axi_word<kDataBits>(lanes);
    rresp = static_cast<Number>(burst.response);
    rlast = burst.beat + 1 == burst.beats;
  }

  // Beats with consecutive addresses form one transfer.
  void transfer(Burst& burst) {
    std::uint64_t offset = 0;
    for (Number first = 0; first < burst.beats;) {
      std::uint64_t length = burst.length_of(first);
      Number next = first + 1;
      while (next < burst.beats && burst.address_of(next) == burst.address_of(first) + length) {
        length += burst.length_of(next++);
      }
      transfer(burst, burst.address_of(first), offset, length);
      offset += length;
      first = next;
    }
  }

  void transfer(Burst& burst, std::uint64_t address, std::uint64_t offset, std::uint64_t length) {
    if (burst.write) {  // omits bytes without a strobe at both ends
      const unsigned char* const enables = burst.enables.data();
      while (length > 0 && enables[offset + length - 1] == TLM_BYTE_DISABLED) --length;
      for (; length > 0 && enables[offset] == TLM_BYTE_DISABLED; --length) ++offset, ++address;
      if (length == 0) return;
    }
    tlm::tlm_generic_payload payload;
    payload.set_command(burst.write ? tlm::TLM_WRITE_COMMAND : tlm::TLM_READ_COMMAND);
    payload.set_address(address);
    payload.set_data_ptr(burst.data.data() + offset);
    payload.set_data_length(static_cast<unsigned>(length));
    payload.set_streaming_width(static_cast<unsigned>(length));
    if (burst.write) {
      unsigned char* const enables = burst.enables.data() + offset;
      if (std::find(enables, enables + length, TLM_BYTE_DISABLED) != enables + length) {
        payload.set_byte_enable_ptr(enables);
        payload.set_byte_enable_length(static_cast<unsigned>(length));
      }
    }
    sc_core::sc_time delay;
    initiator->b_transport(payload, delay);
    if (delay > sc_core::SC_ZERO_TIME) sc_core::wait(delay);
    const AxiResponse response = axi_response(payload.get_response_status());
    if (response != AxiResponse::okay) burst.response = response;
  }

  std::size_t max_bursts_;
  Bursts reads_, writes_;  // in address order, until they are answered
  Bursts filling_;         // writes that wait for data
  Bursts ready_;           // waiting for a worker
  sc_core::sc_event ready_event_{"ready_event"};
  bool running_ = false;
  bool arready_now_ = false, awready_now_ = false, wready_now_ = false, bvalid_now_ = false, rvalid_now_ = false;
  sc_core::sc_vector<Worker> workers_{"worker"};
};

}  // namespace kb
