// A memory of the machine that an external model serves: impl tlm.memory.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "modules/bridge/outside_port.h"
#include "modules/fabric/arrival_node.h"
#include "platform/elab/registry.h"
#include "platform/params/field_table.h"

namespace kb::modules {

struct TlmMemoryParams {
  enum class Address : std::uint8_t { slice_offset, hbm_offset, pa };
  enum class Style : std::uint8_t { at, lt };
  enum class WriteAck : std::uint8_t { response, accept };
  enum class EndResp : std::uint8_t { explicit_, early };
  enum class Data : std::uint8_t { engine, through };

  std::string socket = "memory";
  std::int64_t access_bytes = 64;  // of an SRAM; an HBM controller has its own
  std::int64_t max_reads = 1024;
  std::int64_t max_writes = 1024;
  Address address = Address::slice_offset;
  Style mode = Style::at;
  WriteAck write_ack = WriteAck::response;
  EndResp end_resp = EndResp::explicit_;
  Data data = Data::engine;

  static const params::FieldTable& fields();  // of an HBM controller
  static const params::FieldTable& sram_fields();
};

// Serves an HBM slice or a cube's SRAM by accesses to a TLM-2.0 target outside of the platform, which decides when they
// are answered. Contents stay in kernbench (data: engine), or are with the target, which is asked for them by
// transport_dbg() when an operation has been completed (through).
// Models: accesses of access_bytes, aligned; an edge that is not widens to a whole one. Commands in the order of their
// arrival, a read's flits after its command and a write's as they arrive, all in one queue.
// Timing: what arrives at t is asked for at t + overhead_ns, or when the memory takes it. A flit of a read leaves when
// its accesses and the flits before it are there; a write is acknowledged with its last answer (write_ack: response) or
// when its last access is taken (accept). Both come 1 fs after the call that brought them.
class TlmMemory final : public ArrivalNode, private IOutsideUser, private contract::IContentsKeeper {
 public:
  TlmMemory(const sc_core::sc_module_name& name, NodeId node, TimeFs overhead, const TlmMemoryParams& params,
            elab::BlockContext& context);
  void collect_statistics(std::vector<elab::Statistic>& statistics) const override;
  void collect_waits(std::vector<elab::WaitInfo>& waits) const override;

 private:
  // A transaction that is being served.
  struct Served {
    payload::Transaction* transaction = nullptr;
    std::vector<std::uint32_t> open;  // accesses by flit, not answered (a write: one entry for all)
    std::uint32_t next = 0;           // flit of a read to leave
    std::uint32_t asked = 0;          // flits whose accesses have been made
  };
  // Flits whose overhead is being paid.
  struct Due {
    TimeFs at;
    std::uint64_t slot = 0;
    std::uint32_t first = 0, count = 0;
  };

  void end_of_elaboration() override;
  void on_arrival(const Arrival& arrival) override;
  void on_wake() override;
  void on_accepted(const OutsideAccess& access) override;
  void on_answered(const OutsideAccess& access, tlm::tlm_response_status status) override;
  std::uint64_t slot_of(payload::Transaction& transaction, std::uint32_t entries);
  void make_accesses(const Due& due);
  // The memory's address of a physical one.
  std::uint64_t address_of(std::uint64_t pa) const { return pa - pa_base_ + address_base_; }
  void read(std::uint64_t pa, std::byte* bytes, std::uint64_t nbytes) override;
  void write(std::uint64_t pa, const std::byte* bytes, std::uint64_t nbytes) override;
  void access_done(const OutsideAccess& access);
  void finish(std::uint64_t slot);

  TimeFs overhead_;
  TlmMemoryParams params_;
  std::uint64_t flit_bytes_;
  std::uint64_t pa_base_ = 0, bytes_ = 0;  // of the slice or SRAM
  std::uint64_t address_base_ = 0;         // what the memory calls its first byte
  OutsidePort port_;
  SlidingDeque<Due> due_;
  std::vector<Served> served_;
  std::vector<std::uint64_t> free_;
  std::unordered_map<const payload::Transaction*, std::uint64_t> writes_;  // under way; looked up only
  std::uint64_t reads_count_ = 0, writes_count_ = 0, read_bytes_ = 0, write_bytes_ = 0;
};

// Adds tlm.memory for HBM controllers and SRAM.
void add_tlm_memory(elab::BlockCatalog& catalog);

}  // namespace kb::modules
