// A machine with a host port.
#pragma once

#include <gmock/gmock.h>

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "platform/address/phys_addr.h"
#include "platform/base/error.h"
#include "platform/contract/completion.h"
#include "platform/contract/kernel_launch.h"
#include "platform/contract/requests.h"
#include "sim/run/host/host_port.h"
#include "tests/block/io/command_machine.h"

namespace kb::test {

inline PeCoord pe(std::uint32_t sip, std::uint32_t cube, std::uint32_t index) {
  return {SipId(sip), CubeId(cube), PeId(index)};
}

struct Fixture {
  explicit Fixture(const MachineShape& shape, sim::HostPortOptions options = {},
                   const std::vector<std::pair<std::string, std::string>>& set = {})
      : machine(shape, set), port(*machine.platform, std::move(options)) {}

  CommandMachine machine;
  sim::HostPort port;

  void run(std::function<void(contract::IHost&)> program) {
    port.run_main(std::move(program));
    sc_core::sc_start();
    if (port.failure()) std::rethrow_exception(port.failure());
  }
  std::uint64_t slice() const { return port.machine().hbm_slice_bytes; }
  std::uint64_t hbm(const PeCoord& at, std::uint64_t offset) const {
    return address::PhysAddr::pe_hbm_addr(at.sip, at.cube, at.pe, offset, slice()).value();
  }
  contract::MemoryWrite write(const PeCoord& at, std::uint64_t offset, std::uint64_t nbytes) const {
    contract::MemoryWrite w;
    w.owner = at;
    w.pa = hbm(at, offset);
    w.nbytes = nbytes;
    return w;
  }
  std::shared_ptr<contract::KernelLaunch> launch(std::uint32_t sip = 0) const {
    auto l = std::make_shared<contract::KernelLaunch>();
    l->kernel = "nop";
    l->args.resize(1);  // without its tensor
    l->sip = SipId(sip);
    l->cubes = {CubeId(0)};
    l->pes = {PeId(0)};
    return l;
  }
  // Code and message of the Error that submitting throws.
  template <typename Request>
  std::pair<std::string, std::string> refusal(const Request& request) {
    try {
      port.submit(request);
    } catch (const Error& error) {
      EXPECT_EQ(error.family(), ErrorFamily::program);
      return {error.code(), error.what()};
    }
    return {"accepted", ""};
  }
};

// Blocks the calling host thread until `request` is done.
inline const contract::Completion& wait_for(contract::IHost& host, contract::RequestId request) {
  auto signal = host.make_signal();
  host.on_done(request, [&] { signal->notify_all(); });
  if (!host.done(request)) signal->wait("request");
  return host.completion(request);
}

}  // namespace kb::test
