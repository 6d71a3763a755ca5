// What outside models write into the machine and read from it, with the whole of the generic payload.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <memory>
#include <random>
#include <utility>

#include "platform/address/phys_addr.h"
#include "platform/base/units.h"
#include "sim/ports/device/device.h"
#include "tests/machine/device/initiators.h"

namespace kb {
namespace {

const std::string kMachine = KB_CONFIG_DIR "/one_pe.yaml";

std::uint64_t hbm(std::uint64_t offset) {
  return address::PhysAddr::pe_hbm_addr(SipId(0), CubeId(0), PeId(0), offset, 6 * kGiB).value();
}

DeviceConfig config_with(std::vector<DeviceWindow> windows) {
  DeviceConfig config;
  config.topology = kMachine;
  config.targets[0].windows = std::move(windows);
  return config;
}

// Makes transfers from one thread, one test script per instance: by b_transport(), or by phases, whose responses end in
// three ways in turn.
class Script final : public sc_core::sc_module, public tlm::tlm_bw_transport_if<>, public tlm::tlm_mm_interface {
 public:
  Script(const sc_core::sc_module_name& name, std::function<void(Script&)> body, bool phases = false)
      : sc_core::sc_module(name), body_(std::move(body)), phases_(phases) {
    SC_HAS_PROCESS(Script);
    SC_THREAD(run);
    socket.bind(*this);
  }
  tlm::tlm_initiator_socket<32> socket{"socket"};
  bool done = false;

  tlm::tlm_response_status call(test::Transfer& transfer, ErrorCause* cause = nullptr) {
    if (phases_) return call_by_phases(transfer);
    tlm::tlm_generic_payload payload;
    test::fill_payload(transfer, payload);
    return call(payload, cause);
  }
  tlm::tlm_response_status call(tlm::tlm_generic_payload& payload, ErrorCause* cause = nullptr) {
    if (cause != nullptr) payload.set_extension(cause);
    sc_core::sc_time delay;
    socket->b_transport(payload, delay);
    EXPECT_EQ(delay, sc_core::SC_ZERO_TIME);
    if (cause != nullptr) payload.clear_extension(cause);
    return payload.get_response_status();
  }
  unsigned debug(bool write, std::uint64_t address, std::vector<unsigned char>& data) {
    test::Transfer transfer;
    transfer.write = write;
    transfer.address = address;
    transfer.data.swap(data);
    tlm::tlm_generic_payload payload;
    test::fill_payload(transfer, payload);
    const unsigned bytes = socket->transport_dbg(payload);
    transfer.data.swap(data);
    return bytes;
  }

 private:
  void run() {
    body_(*this);
    done = true;
  }
  tlm::tlm_response_status call_by_phases(test::Transfer& transfer) {
    auto* const payload = new tlm::tlm_generic_payload(this);
    payload->acquire();
    test::fill_payload(transfer, *payload);
    tlm::tlm_phase phase = tlm::BEGIN_REQ;
    sc_core::sc_time delay;
    answered_ = socket->nb_transport_fw(*payload, phase, delay) == tlm::TLM_COMPLETED;
    while (!answered_) wait(answer_);
    if (std::exchange(to_end_, false)) {
      phase = tlm::END_RESP;
      socket->nb_transport_fw(*payload, phase, delay);
    }
    const tlm::tlm_response_status status = payload->get_response_status();
    payload->release();
    return status;
  }
  void free(tlm::tlm_generic_payload* payload) override { delete payload; }
  tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload&, tlm::tlm_phase& phase, sc_core::sc_time&) override {
    if (phase != tlm::BEGIN_RESP) return tlm::TLM_ACCEPTED;
    answered_ = true;
    answer_.notify(sc_core::SC_ZERO_TIME);
    const unsigned variant = variants_++ % 3;
    to_end_ = variant == 2;
    if (variant == 1) phase = tlm::END_RESP;
    return variant == 0 ? tlm::TLM_COMPLETED : (variant == 1 ? tlm::TLM_UPDATED : tlm::TLM_ACCEPTED);
  }
  void invalidate_direct_mem_ptr(sc_dt::uint64, sc_dt::uint64) override {}

  std::function<void(Script&)> body_;
  bool phases_;
  sc_core::sc_event answer_;
  bool answered_ = false, to_end_ = false;
  unsigned variants_ = 0;
};

DeviceReport run_script(const DeviceConfig& config, const std::function<void(Script&)>& body) {
  Device device("device", config);
  Script script("script", body);
  script.socket.bind(device.target("cpu0"));
  sc_core::sc_start();
  EXPECT_TRUE(script.done);
  EXPECT_TRUE(device.idle());
  return device.finish();
}

test::Transfer make(bool write, std::uint64_t address, std::vector<unsigned char> data) {
  test::Transfer transfer;
  transfer.write = write;
  transfer.address = address;
  transfer.data = std::move(data);
  return transfer;
}

TEST(OutsideContents, ByteEnablesAndStreaming) {
  const DeviceReport report = run_script(config_with({{0x1000, hbm(0), 0x10000}}), [](Script& script) {
    test::Transfer fill = make(true, 0x1000, std::vector<unsigned char>(16, 0xee));
    EXPECT_EQ(script.call(fill), tlm::TLM_OK_RESPONSE);
    test::Transfer sparse = make(true, 0x1000, {1, 2, 3, 4, 5, 6, 7, 8});
    sparse.enables = {0xff, 0x00, 0x00};
    EXPECT_EQ(script.call(sparse), tlm::TLM_OK_RESPONSE);
    test::Transfer stream = make(true, 0x1008, {10, 11, 12, 13, 14, 15, 16});
    stream.streaming_width = 3;
    EXPECT_EQ(script.call(stream), tlm::TLM_OK_RESPONSE);
    test::Transfer all = make(false, 0x1000, std::vector<unsigned char>(16));
    EXPECT_EQ(script.call(all), tlm::TLM_OK_RESPONSE);
    EXPECT_EQ(all.data, (std::vector<unsigned char>{1, 0xee, 0xee, 4, 0xee, 0xee, 7, 0xee, 16, 14, 15, 0xee, 0xee, 0xee,
                                                    0xee, 0xee}));
    test::Transfer masked = make(false, 0x1000, {9, 9, 9, 9, 9});
    masked.enables = {0x00, 0xff};
    EXPECT_EQ(script.call(masked), tlm::TLM_OK_RESPONSE);
    EXPECT_EQ(masked.data, (std::vector<unsigned char>{9, 0xee, 9, 4, 9}));
  });
  EXPECT_TRUE(report.ok) << report.error_message;
  EXPECT_TRUE(report.problems.empty());
}

TEST(OutsideContents, DebugAccessTakesNoTimeAndSeesWindowsThatMeet) {
  run_script(config_with({{0x0, hbm(0x8000), 0x100}, {0x100, hbm(0x2000), 0x100}}), [](Script& script) {
    const sc_core::sc_time before = sc_core::sc_time_stamp();
    std::vector<unsigned char> bytes(32);
    for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<unsigned char>(i + 1);
    EXPECT_EQ(script.debug(true, 0xf0, bytes), 32u);
    std::vector<unsigned char> back(64);
    EXPECT_EQ(script.debug(false, 0x1d0, back), 0x30u);  // up to the end of the windows
    back.assign(32, 0);
    EXPECT_EQ(script.debug(false, 0xf0, back), 32u);
    EXPECT_EQ(back, bytes);
    EXPECT_EQ(script.debug(false, 0x4000, back), 0u);
    EXPECT_EQ(sc_core::sc_time_stamp(), before);
    test::Transfer timed = make(false, 0xf0, std::vector<unsigned char>(32));
    EXPECT_EQ(script.call(timed), tlm::TLM_OK_RESPONSE);
    EXPECT_EQ(timed.data, bytes);
    EXPECT_GT(sc_core::sc_time_stamp(), before);
  });
}

TEST(OutsideContents, BadRequestsGetTheResponseOfTheStandardAndTheCause) {
  const DeviceReport report = run_script(config_with({{0x1000, hbm(0), 0x100}}), [](Script& script) {
    struct Bad {
      std::function<void(test::Transfer&, tlm::tlm_generic_payload&)> spoil;
      tlm::tlm_response_status status;
      const char* says;
    };
    const std::vector<Bad> cases = {
        {[](auto&, auto& p) { p.set_address(0x10); }, tlm::TLM_ADDRESS_ERROR_RESPONSE, "lies in no window"},
        {[](auto&, auto& p) { p.set_address(0x10fc); }, tlm::TLM_ADDRESS_ERROR_RESPONSE, "0x1100 lies in no window"},
        {[](auto&, auto& p) { p.set_data_length(0); }, tlm::TLM_GENERIC_ERROR_RESPONSE, "data length is 0"},
        {[](auto&, auto& p) { p.set_data_ptr(nullptr); }, tlm::TLM_GENERIC_ERROR_RESPONSE, "no data pointer"},
        {[](auto&, auto& p) { p.set_streaming_width(0); }, tlm::TLM_BURST_ERROR_RESPONSE, "streaming width is 0"},
        {[](test::Transfer& t, auto& p) {
           t.enables = {0xff, 0x12};
           p.set_byte_enable_ptr(t.enables.data());
           p.set_byte_enable_length(2);
         },
         tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE, "byte enable 1 is 0x12"},
        {[](test::Transfer& t, auto& p) {
           t.enables = {0xff};
           p.set_byte_enable_ptr(t.enables.data());
           p.set_byte_enable_length(0);
         },
         tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE, "length 0"},
    };
    for (const Bad& bad : cases) {
      test::Transfer transfer = make(false, 0x1000, std::vector<unsigned char>(8));
      tlm::tlm_generic_payload payload;
      test::fill_payload(transfer, payload);
      bad.spoil(transfer, payload);
      ErrorCause cause;
      EXPECT_EQ(script.call(payload, &cause), bad.status) << bad.says;
      EXPECT_NE(cause.message.find(bad.says), std::string::npos) << cause.message;
      EXPECT_NE(cause.message.find("device.cpu0"), std::string::npos) << cause.message;
    }
    test::Transfer stream = make(false, 0x1000, std::vector<unsigned char>(5000));
    stream.streaming_width = 1;
    EXPECT_EQ(script.call(stream), tlm::TLM_BURST_ERROR_RESPONSE);
    test::Transfer good = make(false, 0x10f8, std::vector<unsigned char>(8));
    EXPECT_EQ(script.call(good), tlm::TLM_OK_RESPONSE);
  });
  EXPECT_TRUE(report.ok) << report.error_message;
}

TEST(OutsideContents, DirectMemoryIsRefused) {
  run_script(config_with({}), [](Script& script) {
    tlm::tlm_generic_payload payload;
    payload.set_address(hbm(0));
    tlm::tlm_dmi dmi;
    EXPECT_FALSE(script.socket->get_direct_mem_ptr(payload, dmi));
  });
}

// Random transfers of four initiators, two of them by phases, against plain memory.
class Soak {
 public:
  Soak(unsigned seed, std::uint64_t first, int transfers) : random_(seed), first_(first), transfers_(transfers) {}

  void run(Script& script) {
    for (int i = 0; i < transfers_; ++i) one(script);
  }

 private:
  static constexpr std::uint32_t kBytes = 1u << 17;
  std::uint32_t pick(std::uint32_t low, std::uint32_t high) {
    return std::uniform_int_distribution<std::uint32_t>(low, high)(random_);
  }

  void one(Script& script) {
    const std::uint32_t scale = pick(0, 9);
    const std::uint32_t length = pick(1, scale < 6 ? 64 : (scale < 9 ? 1024 : 65536));
    const std::uint32_t at = pick(0, kBytes - length);
    test::Transfer transfer = make(pick(0, 1) == 0, first_ + at, std::vector<unsigned char>(length));
    if (pick(0, 2) == 0) transfer.streaming_width = std::max(pick(1, length), length / 4096 + 1);
    if (pick(0, 2) == 0) {
      transfer.enables.resize(pick(1, std::min(length, 64u)));
      for (unsigned char& enable : transfer.enables) enable = pick(0, 1) == 0 ? 0xff : 0x00;
    }
    for (unsigned char& byte : transfer.data) byte = static_cast<unsigned char>(random_());
    std::vector<unsigned char> expected = transfer.data;
    const std::uint32_t width = transfer.streaming_width == 0 ? length : std::min(transfer.streaming_width, length);
    for (std::uint32_t i = 0; i < length; ++i) {
      if (!transfer.enables.empty() && transfer.enables[i % transfer.enables.size()] == 0) continue;
      unsigned char& cell = memory_[at + i % width];
      (transfer.write ? cell : expected[i]) = transfer.write ? transfer.data[i] : cell;
    }
    ASSERT_EQ(script.call(transfer), tlm::TLM_OK_RESPONSE);
    ASSERT_EQ(transfer.data, expected) << "length " << length << ", width " << width << ", at " << at;
  }

  std::mt19937 random_;
  std::uint64_t first_;
  int transfers_;
  std::vector<unsigned char> memory_ = std::vector<unsigned char>(kBytes);
};

int transfers() {
  const char* const text = std::getenv("KB_TRANSFERS");
  return text == nullptr ? 4000 : std::stoi(text);
}

TEST(OutsideContents, RandomTransfersOfFourInitiatorsEqualPlainMemory) {
  DeviceConfig config;
  config.topology = kMachine;
  config.targets = {{"a"}, {"b", "sip0.cube0.pe0.pe_dma"}, {"c", "sip0.cube0.m_cpu"}, {"d"}};
  Device device("device", config);
  std::vector<std::unique_ptr<Script>> scripts;
  for (unsigned i = 0; i < 4; ++i) {
    scripts.push_back(std::make_unique<Script>(
        ("initiator" + std::to_string(i)).c_str(),
        [i](Script& script) { Soak(i, hbm(i * 0x100000), transfers() / 4).run(script); }, i % 2 == 1));
    scripts.back()->socket.bind(device.target(std::string(1, static_cast<char>('a' + i))));
  }
  sc_core::sc_start();
  for (const auto& script : scripts) EXPECT_TRUE(script->done);
  const DeviceReport report = device.finish();
  EXPECT_TRUE(report.ok) << report.error_message;
  EXPECT_TRUE(report.problems.empty()) << report.problems.front();
}

}  // namespace
}  // namespace kb
