// Tests of a memory that keeps its contents outside of the machine: `data: through`.
#include <gtest/gtest.h>
#include <tlm_utils/simple_target_socket.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <functional>
#include <iterator>
#include <random>
#include <string>
#include <vector>

#include "examples/embedding/at_memory.h"
#include "platform/address/phys_addr.h"
#include "platform/base/error.h"
#include "platform/base/units.h"
#include "sim/ports/device/device.h"
#include "sim/study/process/isolate.h"
#include "sw/runtime/runtime.h"
#include "tests/machine/device/initiators.h"
#include "tests/machine/device/systemc_reports.h"

namespace kb {
namespace {

constexpr std::size_t kBytes = std::size_t{1} << 20;  // of the models; the tests use no more

DeviceConfig config_of(const std::string& attrs, const std::string& node = "sip0.cube0.hbm_ctrl.pe0") {
  std::ifstream file(KB_CONFIG_DIR "/one_pe.yaml");
  DeviceConfig config;
  config.topology_text = std::string(std::istreambuf_iterator<char>(file), {}) + "\nreplace:\n  - {nodes: " + node +
                         ", impl: tlm.memory, attrs: {socket: dram, access_bytes: 64, data: through, " + attrs + "}}\n";
  config.no_progress_ns = 50'000;
  return config;
}

// Both serve `data: through`; to each its offsets are addresses.
struct Place {
  const char* node;
  std::uint64_t base;
};
const Place kHbm{"sip0.cube0.hbm_ctrl.pe0",
                 address::PhysAddr::pe_hbm_addr(SipId(0), CubeId(0), PeId(0), 0, 6 * kGiB).value()};
const Place kSram{"sip0.cube0.sram", address::PhysAddr::cube_sram_addr(SipId(0), CubeId(0), 0).value()};

unsigned serve_debug(std::vector<unsigned char>& bytes, tlm::tlm_generic_payload& payload) {
  unsigned char* const here = bytes.data() + payload.get_address();
  if (payload.is_write()) {
    std::copy_n(payload.get_data_ptr(), payload.get_data_length(), here);
  } else {
    std::copy_n(here, payload.get_data_length(), payload.get_data_ptr());
  }
  return payload.get_data_length();
}

// A loosely timed memory with contents.
class LtMemory final : public sc_core::sc_module {
 public:
  tlm_utils::simple_target_socket<LtMemory> socket{"socket"};
  std::vector<unsigned char> bytes = std::vector<unsigned char>(kBytes);

  LtMemory(const sc_core::sc_module_name& name, bool obeys_enables)
      : sc_core::sc_module(name), obeys_enables_(obeys_enables) {
    socket.register_b_transport(this, &LtMemory::access);
    socket.register_transport_dbg(this, &LtMemory::debug);
  }
  bool saw_enabled_write() const { return saw_enabled_write_; }

 private:
  void access(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
    unsigned char* const here = bytes.data() + payload.get_address();
    const unsigned char* const enables = payload.get_byte_enable_ptr();
    for (unsigned i = 0; payload.is_write() && i < payload.get_data_length(); ++i) {
      const bool enabled = enables == nullptr || enables[i % payload.get_byte_enable_length()] == TLM_BYTE_ENABLED;
      saw_enabled_write_ = saw_enabled_write_ || enabled;
      if (enabled || !obeys_enables_) here[i] = payload.get_data_ptr()[i];
    }
    delay += sc_core::sc_time(20, sc_core::SC_NS);
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
  }
  unsigned debug(tlm::tlm_generic_payload& payload) { return serve_debug(bytes, payload); }
  bool obeys_enables_;
  bool saw_enabled_write_ = false;
};

// Accesses come in phases; contents change through transport_dbg alone, as nothing else may change them.
class AtStore final : public AtMemory {
 public:
  std::vector<unsigned char> bytes = std::vector<unsigned char>(kBytes);
  explicit AtStore(const sc_core::sc_module_name& name)
      : AtMemory(name, sc_core::sc_time(1, sc_core::SC_NS), sc_core::sc_time(40, sc_core::SC_NS)) {
    using Debug = unsigned (AtMemory::*)(tlm::tlm_generic_payload&);  // the socket knows the base only
    socket.register_transport_dbg(this, static_cast<Debug>(&AtStore::debug));
  }

 private:
  unsigned debug(tlm::tlm_generic_payload& payload) { return serve_debug(bytes, payload); }
};

std::size_t count_f16(const std::vector<unsigned char>& bytes, std::uint16_t bits) {
  std::size_t count = 0;
  for (std::size_t i = 0; i + 1 < bytes.size(); i += 2) count += (bytes[i] | bytes[i + 1] << 8) == bits ? 1 : 0;
  return count;
}

// What the test says in a process of its own: SystemC elaborates once in each.
std::string said_by(const std::function<std::string()>& run) {
  return sim::run_isolated({run})[0];
}

// Executes random transfers with any alignment, one at a time. Returns "equal", or the first difference
// from the oracle in the data read or in the final contents.
std::string random_transfers(const Place& place, bool obeys_enables, std::uint64_t seed) {
  constexpr std::uint64_t kUsed = 4096;
  std::mt19937_64 random(seed);
  std::vector<unsigned char> oracle(kUsed);
  std::vector<test::Transfer> transfers(200);
  std::vector<std::vector<unsigned char>> expected(transfers.size());
  for (std::size_t i = 0; i < transfers.size(); ++i) {
    test::Transfer& transfer = transfers[i];
    const std::uint64_t offset = random() % kUsed, bytes = 1 + random() % std::min<std::uint64_t>(600, kUsed - offset);
    transfer.at = sc_core::sc_time(static_cast<double>(10 * i), sc_core::SC_US);
    transfer.write = random() % 2 == 0;
    transfer.address = place.base + offset;
    transfer.data.resize(bytes);
    const auto here = oracle.begin() + static_cast<std::ptrdiff_t>(offset);
    if (transfer.write) {
      for (unsigned char& byte : transfer.data) byte = static_cast<unsigned char>(random());
      std::copy(transfer.data.begin(), transfer.data.end(), here);
    } else {
      expected[i].assign(here, here + static_cast<std::ptrdiff_t>(bytes));
    }
  }
  Device device("device", config_of("mode: lt", place.node));
  LtMemory memory("dram", obeys_enables);
  device.memory("dram").bind(memory.socket);
  test::LtInitiator initiator("initiator", transfers);
  initiator.socket.bind(device.target("cpu0"));
  sc_core::sc_start(sc_core::sc_time(3, sc_core::SC_MS));
  const DeviceReport report = device.finish();
  if (!report.ok) return report.error_message;
  if (memory.saw_enabled_write()) return "an access wrote contents";
  for (std::size_t i = 0; i < transfers.size(); ++i) {
    const test::Transfer& transfer = initiator.transfers()[i];
    if (transfer.status != tlm::TLM_OK_RESPONSE) return "transfer " + std::to_string(i) + " fails";
    if (!transfer.write && transfer.data != expected[i]) return "transfer " + std::to_string(i) + " reads other bytes";
  }
  return std::equal(oracle.begin(), oracle.end(), memory.bytes.begin()) ? "equal" : "the memory holds other bytes";
}

TEST(KeptOutside, RandomTransfersEqualAPlainMemory) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    for (const bool obeys : {true, false}) {
      const Place& place = seed % 2 == 0 ? kHbm : kSram;
      EXPECT_EQ(said_by([&] { return random_transfers(place, obeys, seed); }), "equal") << obeys << " " << seed;
    }
  }
}

// The model's owner changes an operand in the memory; the kernel computes with it, and its result lies there.
TEST(KeptOutside, KernelsComputeWithWhatTheMemoryHolds) {
  const auto run = [] {
    Device device("device", config_of("mode: at"));
    AtStore memory("dram");
    device.memory("dram").bind(memory.socket);
    std::string said;
    device.run([&](sw::Runtime& runtime) {
      const sw::Tensor a = runtime.full({32, 32}, 2.0, Dtype::f16);
      const sw::Tensor b = runtime.full({32, 32}, 0.5, Dtype::f16);
      const sw::Tensor c = runtime.empty({32, 32}, Dtype::f16);
      runtime.wait_all();
      said += std::to_string(count_f16(memory.bytes, 0x4000)) + " of 2.0";
      for (std::size_t i = 0; i + 1 < memory.bytes.size(); i += 2) {
        if (memory.bytes[i] == 0x00 && memory.bytes[i + 1] == 0x40) memory.bytes[i + 1] = 0x42;  // 3.0
      }
      runtime.wait(runtime.launch("gemm", {{"a", a}, {"b", b}, {"c", c}, {"m", 32}, {"k", 32}, {"n", 32}}));
      const std::vector<double> values = c.to_host().to_doubles();
      said += std::all_of(values.begin(), values.end(), [](double x) { return x == 48.0; }) ? ", right" : ", wrong";
      said += ", " + std::to_string(count_f16(memory.bytes, 0x5200)) + " of 48.0";
    });
    sc_core::sc_start();
    const DeviceReport report = device.finish();
    return report.ok ? said : report.error_message;
  };
  EXPECT_EQ(said_by(run), "1024 of 2.0, right, 1024 of 48.0");
}

TEST(KeptOutside, AMemoryWithoutDebugAccessIsNamed) {
  const auto run = [] {
    const test::SystemcReports reports;
    DeviceConfig config = config_of("mode: at");
    config.on_failure = "warning";
    Device device("device", config);
    AtMemory memory("dram", sc_core::sc_time(1, sc_core::SC_NS), sc_core::sc_time(40, sc_core::SC_NS));
    device.memory("dram").bind(memory.socket);
    device.run([](sw::Runtime& runtime) { runtime.full({32, 32}, 2.0, Dtype::f16); });
    sc_core::sc_start();
    const DeviceReport report = device.finish();
    return report.ok ? "no error" : report.error_message;
  };
  EXPECT_NE(said_by(run).find("node sip0.cube0.hbm_ctrl.pe0: memory 'dram' takes 0 of "), std::string::npos)
      << said_by(run);
  EXPECT_NE(said_by(run).find("use `data: engine`"), std::string::npos);
}

TEST(KeptOutside, WhatIsComputedLaterIsRefused) {
  const auto run = []() -> std::string {
    DeviceConfig config = config_of("mode: at");
    config.data = "replay";
    try {
      Device device("device", config);
      AtStore memory("dram");
      device.memory("dram").bind(memory.socket);
      sc_core::sc_start();
    } catch (const Error& error) {
      return error.what();
    }
    return "no error";
  };
  EXPECT_NE(said_by(run).find("DeviceConfig::data is 'replay'"), std::string::npos) << said_by(run);
}

}  // namespace
}  // namespace kb
