// A cube for tests of its PEs: the real machine, optionally with some blocks scripted.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "modules/kit/commands.h"
#include "modules/kit/scripted_memory.h"
#include "modules/kit/scripted_requester.h"
#include "modules/kit/waves.h"
#include "platform/contract/command.h"
#include "platform/contract/i_operation_sink.h"
#include "platform/contract/i_pe.h"
#include "platform/contract/i_translator.h"
#include "platform/contract/kernel.h"
#include "platform/contract/requests.h"
#include "platform/elab/platform.h"
#include "platform/payload/messages.h"
#include "platform/topology/topology.h"

namespace kb::contract {
struct PeResult;
}

namespace kb::test {

inline constexpr TimeFs kNs = 1_ns;

class Kernels final : public contract::IKernelCatalog {
 public:
  void add(const std::string& name, std::function<void(contract::IPe&)> body);
  const contract::Kernel* find(const std::string& name) const override;
  std::vector<std::string> names() const override;

 private:
  std::map<std::string, contract::Kernel> kernels_;
};

class OperationLog final : public contract::IOperationSink {
 public:
  struct Entry {
    NodeId node;
    contract::CommandKind kind;
    std::string call;
    TimeFs start;
    TimeFs end;
    std::vector<Extent> memory;  // physical
  };
  struct Write {
    NodeId node;
    std::uint64_t pa;
    std::vector<std::byte> bytes;
    TimeFs at;
  };
  struct StageEntry {
    NodeId node;
    plan::StageType type;
    std::uint64_t tile;
    TimeFs start;
    TimeFs end;
  };
  struct MessageEntry {
    NodeId node;
    MessageStep step;
    std::uint64_t source;  // of the first byte
    std::uint64_t destination;
    std::string direction;
    std::uint64_t sequence;
    TimeFs start;
    TimeFs end;
  };
  std::vector<Entry> commands;  // in the order of the reports
  std::vector<MessageEntry> messages;
  std::vector<StageEntry> stages;
  std::vector<Write> writes;

  void on_command(NodeId component, const contract::Command& command, const contract::ITranslator* translator,
                  TimeFs start, TimeFs end) override;
  void on_stage(NodeId component, const TileStage& tile, TimeFs start, TimeFs end) override;
  void on_message(NodeId component, const MessageCopy& copy, const contract::ITranslator* translator, TimeFs start,
                  TimeFs end) override;
  void on_scratch_write(NodeId component, std::uint64_t pa, Dtype dtype, std::vector<std::byte> bytes,
                        TimeFs at) override;
  void on_host_write(NodeId, const contract::MemoryWrite&, TimeFs, TimeFs) override {}
  std::vector<std::byte> kernel_read(const std::vector<Extent>& extents) override;
};

struct MachineOptions {
  int pes = 1;                                           // 1, 2 or 4
  int cubes = 1;                                         // side by side
  std::vector<std::pair<std::string, std::string>> set;  // topology overrides
  std::vector<topology::NodeKind> requesters;            // blocks replaced by scripted requesters
  bool scripted_memory = false;                          // replaces hbm_ctrl and sram
  std::map<std::string, params::Value> math_attrs;       // added to every pe_math
  const elab::BlockCatalog* blocks = nullptr;            // in addition to the built-in ones
};

class PeMachine : private payload::IInitiator {
 public:
  explicit PeMachine(const MachineOptions& options = {});
  virtual ~PeMachine();

  Kernels kernels;
  OperationLog log;
  Waves waves;
  MemoryScript memory;
  topology::LoadedTopology topology;
  std::unique_ptr<elab::Platform> platform;

  const topology::Graph& graph() const { return topology.graph; }
  NodeId node(const std::string& id) const { return *graph().find_node(id); }
  std::uint64_t tcm(std::uint64_t offset, int pe = 0) const;
  std::uint64_t slice_bytes() const { return graph().spec.hbm_slice_bytes(); }

  // Issues requests of a scripted requester of PE 0; outcomes are in the order of the requests.
  std::vector<Outcome> run(const std::vector<Request>& requests);

  // Launches `kernel` from the M_CPU so that it is ready in the PE_CPU at `ready`; returns the launch's number.
  std::size_t launch(const std::string& kernel, TimeFs ready, std::optional<TimeFs> target_start = std::nullopt,
                     int pe = 0);
  // Sends any message from the M_CPU to a node; returns its number.
  std::size_t send(const std::string& target, TimeFs ready, payload::Op op, std::optional<payload::Message> message,
                   std::uint64_t bytes = 0);
  void run() { sc_core::sc_start(); }

  struct Answer {
    bool arrived = false;
    TimeFs completed = 0_fs;
    payload::Status status;
    std::shared_ptr<const contract::PeResult> result;  // of a launch
  };
  std::vector<Answer> answers;                                         // by number
  std::vector<std::string> wait_lines(const std::string& node) const;  // "who: what @since"
  std::map<std::string, std::int64_t> statistics(const std::string& node) const;
  TimeFs time(const std::string& node, const std::string& statistic) const;  // 0 when the node has no such statistic

 private:
  struct Script;
  void on_response(payload::Transaction& transaction) override;

  std::unique_ptr<Script> script_;
};

OperandRef matrix(std::uint64_t hbm_offset, std::int64_t rows, std::int64_t columns);  // f16
// A at HBM offset 0, B at 1 MiB, the product at 2 MiB.
contract::Command composite(std::int64_t m, std::int64_t k, std::int64_t n);

}  // namespace kb::test
