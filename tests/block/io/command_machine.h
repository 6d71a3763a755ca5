// A whole machine whose PE_CPUs and PE_MMUs are scripted, for tests of the command plane and the host port.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "modules/fabric/fabric_endpoint.h"
#include "modules/io/io_cpu.h"
#include "modules/io/pcie_ep.h"
#include "platform/contract/command.h"
#include "platform/contract/completion.h"
#include "platform/contract/failure_policy.h"
#include "platform/contract/i_operation_sink.h"
#include "platform/contract/i_pe.h"
#include "platform/contract/kernel.h"
#include "platform/contract/requests.h"
#include "platform/elab/platform.h"
#include "platform/payload/messages.h"
#include "platform/topology/topology.h"

namespace kb::test {

// Reaction of a scripted PE to a message.
struct Reaction {
  bool answer = true;
  TimeFs after = 0_fs;  // between handling (launches: body start) and the answer
  payload::Status status;
  contract::PeResult result;  // launches: reported back, `pe` and `start` filled in
  std::optional<contract::BarrierScope>
      barrier;  // launches: arrives `after` the body starts, answers when the barrier opens
};

// The answer that a scripted PE received at its barrier.
struct Pass {
  PeCoord pe;
  TimeFs time = 0_fs;
  payload::Status status;
};

// A message that reached a scripted PE.
struct Arrival {
  std::string node;
  PeCoord pe;
  TimeFs ready = 0_fs;  // arrival + overhead_ns
  TimeFs start = 0_fs;  // max(ready, stamp)
  TimeFs stamp = kNever;
  std::uint64_t bytes = 0;
  std::shared_ptr<const payload::Message> message;
};

struct Script {
  std::function<Reaction(const PeCoord&)> reaction = [](const PeCoord&) { return Reaction{}; };
  std::vector<Arrival> arrivals;
  std::vector<Pass> passes;
};

struct MachineShape {
  int sips = 1;
  int mesh_w = 1;
  int mesh_h = 1;
  int pes_per_corner = 1;
  std::vector<std::string> corners{"NW"};
};

// Kernels with one optional tensor argument `t`.
class Kernels final : public contract::IKernelCatalog {
 public:
  explicit Kernels(const std::vector<std::string>& names);
  const contract::Kernel* find(const std::string& name) const override;
  std::vector<std::string> names() const override;

 private:
  std::map<std::string, contract::Kernel> kernels_;
};

// Records host writes; the other reports do not occur on these machines.
class WriteLog final : public contract::IOperationSink {
 public:
  struct Entry {
    NodeId node;
    std::uint64_t pa;
    std::uint64_t nbytes;
    TimeFs start;
    TimeFs end;
  };
  std::vector<Entry> writes;

  void on_command(NodeId, const contract::Command&, const contract::ITranslator*, TimeFs, TimeFs) override {}
  void on_scratch_write(NodeId, std::uint64_t, Dtype, std::vector<std::byte>, TimeFs) override {}
  void on_host_write(NodeId component, const contract::MemoryWrite& write, TimeFs start, TimeFs end) override {
    writes.push_back({component, write.pa, write.nbytes, start, end});
  }
  std::vector<std::byte> kernel_read(const std::vector<Extent>&) override { return {}; }
};

class CommandMachine final : private elab::IHostPort {
 public:
  // `set` overrides topology values ("sip.cube_mesh.w", "2").
  explicit CommandMachine(const MachineShape& shape, const std::vector<std::pair<std::string, std::string>>& set = {});

  Script script;
  WriteLog writes;
  Kernels kernels{{"copy", "gemm", "nop"}};
  topology::LoadedTopology topology;
  std::unique_ptr<elab::Platform> platform;

  const topology::Graph& graph() const { return topology.graph; }
  NodeId node(const std::string& id) const { return *graph().find_node(id); }
  TimeFs overhead(const std::string& id) const;
  TimeFs formula(const std::string& from, const std::string& to);
  modules::PcieEp& pcie_ep(int sip);

  // Sends `message` from a SIP's PCIE_EP to `target` when the simulation starts; `answers` has the answer by cookie.
  payload::Transaction& send(int sip, const std::string& target, std::optional<payload::Message> message,
                             std::uint64_t cookie = 0);
  // A launch of kernel nop on every PE of the given cubes.
  payload::KernelLaunchMsg launch(std::vector<int> cubes, std::vector<int> pes,
                                  contract::FailurePolicy policy = contract::FailurePolicy::fail_fast,
                                  std::uint64_t request = 1);
  void run() { sc_core::sc_start(); }

  struct Answer {
    payload::Status status;
    std::vector<contract::PeResult> pes;
    TimeFs issued = 0_fs;
    TimeFs completed = 0_fs;
  };
  std::map<std::uint64_t, Answer> answers;      // by cookie
  std::vector<std::string> wait_lines() const;  // "who: what"

 private:
  void on_completed(payload::Transaction& transaction) override;
};

}  // namespace kb::test
