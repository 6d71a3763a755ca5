// A memory of the machine that is simulated by an outside model: impl tlm.memory.
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
  std::int64_t access_bytes = 64;  // for an SRAM; an HBM controller has its own parameter
  std::int64_t max_reads = 1024;
  std::int64_t max_writes = 1024;
  Address address = Address::slice_offset;
  Style mode = Style::at;
  WriteAck write_ack = WriteAck::response;
  EndResp end_resp = EndResp::explicit_;
  Data data = Data::engine;

  static const params::FieldTable& fields();  // fields of an HBM controller
  static const params::FieldTable& sram_fields();
};

// Serves an HBM slice or a cube's SRAM by accesses to a TLM-2.0 target outside the platform, which determines the time
// of the answers. The contents are stored in kernbench (data: engine), or in the target (through), where completed
// operations access them by transport_dbg().
// Models: aligned accesses of access_bytes, to which partial ones are widened. Commands, read flits (after their
// command) and write flits share one queue in the order of arrival.
// Timing: an access for an arrival at t is issued at t + overhead_ns, or later when the memory accepts it. A read flit
// leaves when its accesses are answered and the previous flits have left. A write is acknowledged at its last answer
// (write_ack: response) or at the acceptance of its last access (accept). Both times are 1 fs after the memory's call.
class TlmMemory final : public ArrivalNode, private IOutsideUser, private contract::IExternalContents {
 public:
  TlmMemory(const sc_core::sc_module_name& name, NodeId node, TimeFs overhead, const TlmMemoryParams& params,
            elab::BlockContext& context);
  void collect_statistics(std::vector<elab::Statistic>& statistics) const override;
  void collect_waits(std::vector<elab::WaitInfo>& waits) const override;

 private:
  // A transaction in service.
  struct Served {
    payload::Transaction* transaction = nullptr;
    std::vector<std::uint32_t> open;  // number of unanswered accesses per flit (a write has one entry)
    std::uint32_t next = 0;           // next read flit to leave
    std::uint32_t asked = 0;          // number of flits with issued accesses
  };
  // Flits whose accesses are issued at `at`, after overhead_ns.
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
  // Address in the memory of a physical address.
  std::uint64_t address_of(std::uint64_t pa) const { return pa - pa_base_ + address_base_; }
  void read(std::uint64_t pa, std::byte* bytes, std::uint64_t nbytes) override;
  void write(std::uint64_t pa, const std::byte* bytes, std::uint64_t nbytes) override;
  void access_done(const OutsideAccess& access);
  void finish(std::uint64_t slot);

  TimeFs overhead_;
  TlmMemoryParams params_;
  std::uint64_t flit_bytes_;
  std::uint64_t pa_base_ = 0, bytes_ = 0;  // of the slice or SRAM
  std::uint64_t address_base_ = 0;         // address of the first byte in the memory
  OutsidePort port_;
  resource::Resource& outside_;  // busy while an access is not answered
  TimeFs answered_ = 0_fs;       // latest answer
  SlidingDeque<Due> due_;
  std::vector<Served> served_;
  std::vector<std::uint64_t> free_;
  std::unordered_map<const payload::Transaction*, std::uint64_t> writes_;  // in progress; never iterated
  std::uint64_t reads_count_ = 0, writes_count_ = 0, read_bytes_ = 0, write_bytes_ = 0;
};

// Adds tlm.memory for HBM controllers and SRAMs.
void add_tlm_memory(elab::BlockCatalog& catalog);

}  // namespace kb::modules
