#include <cstring>
#include <stdexcept>
#include <vector>

#include "sim/ports/device/device_queue.h"
#include "tests/machine/device/misuses/misuse.h"

namespace kb::test {
namespace {

constexpr std::uint64_t kArgs = 0x400;

// Host memory of 4 KiB: the queue at 0, arguments at 0x400; an error beyond it.
struct Host {
  std::vector<unsigned char> bytes = std::vector<unsigned char>(4096);

  template <typename T>
  T* at(std::uint64_t address) {
    return reinterpret_cast<T*>(bytes.data() + address);
  }
  void access(tlm::tlm_generic_payload& payload) {
    if (payload.get_address() + payload.get_data_length() > bytes.size()) {
      payload.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
      return;
    }
    unsigned char* const here = bytes.data() + payload.get_address();
    if (payload.is_read()) std::memcpy(payload.get_data_ptr(), here, payload.get_data_length());
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
  }
};

void ring(Player& self, std::uint32_t count = 1, std::uint32_t size = 4) {
  self.reg(true, KB_REG_QUEUE_SIZE, size);
  self.reg(true, KB_REG_DOORBELL, count);
  sc_core::wait(ns(1e6));
}

kb_descriptor of(std::uint32_t operation) {
  kb_descriptor descriptor{};
  descriptor.op = operation;
  return descriptor;
}

}  // namespace

std::vector<Misuse> misuses_of_drivers() {
  std::vector<Misuse> all;
  const auto add = [&](const char* name, Misuse::Ends ends, const char* says, std::function<void(Player&)> script,
                       std::function<void(Host&)> prepare = {}, double until_ns = 5000) {
    all.push_back({name, ends, says,
                   [=](Scene& scene) {
                     const auto host = std::make_shared<Host>();
                     if (prepare) prepare(*host);
                     scene.config.no_progress_ns = 10'000;
                     scene.driver = script;
                     scene.host_memory = [host](tlm::tlm_generic_payload& payload) { host->access(payload); };
                   },
                   until_ns});
  };
  const auto mistake = [&](const char* name, const char* says, std::function<void(Host&)> prepare) {
    add(
        name, Misuse::Ends::goes_on, says, [](Player& self) { ring(self); }, std::move(prepare));
  };
  const auto with = [](kb_descriptor descriptor) {
    return [descriptor](Host& host) { *host.at<kb_descriptor>(0) = descriptor; };
  };
  const auto host_access = [&](const char* name, const char* says, ScriptedMemory::Access access, double until_ns) {
    add(
        name, Misuse::Ends::simulation, says, [](Player& self) { ring(self); }, {}, until_ns);
    all.back().prepare = [prepare = all.back().prepare, access](Scene& scene) {
      prepare(scene);
      scene.host_memory = access;
    };
  };

  add("DoorbellBeyondTheQueue", Misuse::Ends::goes_on, "DOORBELL announces 5 descriptors, but QUEUE_SIZE is 4",
      [](Player& self) { ring(self, 5); });
  add("DoorbellGoesBack", Misuse::Ends::goes_on, "and never goes back", [](Player& self) {
    self.reg(true, KB_REG_QUEUE_SIZE, 4);
    self.reg(true, KB_REG_DOORBELL, 0xffffffffu);
    sc_core::wait(ns(1e6));
  });
  mistake("UnknownOperation", "descriptor 0 has operation 77; 1 is launch", with(of(77)));
  kb_descriptor line = of(KB_OP_FENCE);
  line.irq_line = 1;
  mistake("UnknownLine", "descriptor 0 names the interrupt line 1, but there are 1", with(line));
  kb_descriptor launch = of(KB_OP_LAUNCH);
  launch.kernel = 12345;
  mistake("UnknownKernel", "no kernel's name has the hash 0x3039", with(launch));
  launch.kernel = kb_kernel_hash("gemm");
  mistake("NoArguments", "launch of kernel 'gemm': 0 arguments were given", with(launch));
  launch.arg_count = 9;
  launch.args = kArgs;
  mistake("ArgumentOfNoKind", "kind 9", [=](Host& host) {
    with(launch)(host);
    for (int i = 0; i < 9; ++i) host.at<kb_arg>(kArgs)[i].kind = 9;
  });
  launch.args = 0xfffff000;
  mistake("ArgumentsBeyondHostMemory", "host memory answers a read at 0xfffff000 with an error", with(launch));
  kb_descriptor copy = of(KB_OP_COPY_TO_DEVICE);
  copy.device = 0x123, copy.bytes = 64;
  mistake("CopyBesideTheDevice", "+0x123 is not a memory that reads and writes go to", with(copy));
  copy = of(KB_OP_COPY_TO_HOST);
  copy.device = hbm(0), copy.bytes = 64, copy.host = 0xfffffff0;
  mistake("CopyBeyondHostMemory", "host memory answers a write at 0xfffffff0 with an error", with(copy));
  add("NoQueue", Misuse::Ends::goes_on, "DOORBELL announces 1 descriptors, but QUEUE_SIZE is 0",
      [](Player& self) { ring(self, 1, 0); });
  add("SecondRequestToARegister", Misuse::Ends::simulation, "a second BEGIN_REQ before END_REQ of the first one",
      [](Player& self) {
        for (int i = 0; i < 2; ++i) self.send(self.payload(false, KB_REG_ID, 4), tlm::BEGIN_REQ, ns(50));
        sc_core::wait(ns(1e6));
      });
  add("UsedPayload", Misuse::Ends::simulation, "not TLM_INCOMPLETE_RESPONSE when b_transport is called",
      [](Player& self) {
        tlm::tlm_generic_payload payload;
        self.fill(payload, false, KB_REG_ID, 4);
        payload.set_response_status(tlm::TLM_OK_RESPONSE);
        sc_core::sc_time delay;
        self.socket->b_transport(payload, delay);
      });
  host_access(
      "HostMemoryThrows", "the memory at device.host_memory threw an exception: no such page",
      [](tlm::tlm_generic_payload&) { throw std::runtime_error("no such page"); }, 1000);
  host_access(
      "HostMemoryNeverReturns", "answer of the memory at device.host_memory to read of 128 B at 0x0",
      [](tlm::tlm_generic_payload&) { sc_core::wait(ns(1e9)); }, 11'000);
  host_access(
      "HostMemorySetsNoStatus", "the response has the status TLM_INCOMPLETE_RESPONSE", [](tlm::tlm_generic_payload&) {},
      1000);
  return all;
}

}  // namespace kb::test
