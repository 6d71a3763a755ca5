// Finds data races between commands: `--check races`.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "platform/contract/command.h"
#include "platform/contract/i_order_observer.h"
#include "platform/contract/source_line.h"
#include "platform/data/interval_map.h"

namespace kb::check {

// Two unordered accesses to the same bytes, at least one of which writes.
struct Race {
  std::string text;         // both calls with PE and time, the bytes, and the tensor
  std::uint64_t pairs = 1;  // number of command pairs with these calls and tensors
};

// Happens-before analysis with vector clocks (Lamport 1978; Mattern 1989). Access A happens before access B when a
// kernel has waited for A, and that point precedes the issue of B in the order given by the kernels' own order,
// messages, barriers and launches. A blocking call waits for its command immediately; a prefetch counts once a load has
// taken it. Stores of one PE are ordered if it has one write channel, and atomic additions with the same dtype need no
// order. Two launches are ordered when the host had the answer of one before it submitted the other. A host access
// follows a launch when the host had the launch's answer before; it precedes a launch that is submitted later if it has
// ended when the kernel accesses the bytes. The analysis covers HBM, SRAM and TCM as far as kernels address them;
// scratch, which only its own PE uses, is checked at the call (tl::Context).
class RaceChecker final : public contract::IOrderObserver {
 public:
  // `scratch` identifies addresses to ignore; `stores_keep_order`: the stores of a PE end in the order of its calls.
  RaceChecker(std::function<bool(std::uint64_t pa)> scratch, bool stores_keep_order)
      : scratch_(std::move(scratch)), stores_keep_order_(stores_keep_order) {}

  // Races in the order of their discovery; equal ones are combined.
  const std::vector<Race>& races() const { return races_; }
  // Number of commands whose bytes are unknown: indices or a mask without contents (data mode off).
  std::uint64_t not_compared() const { return not_compared_; }

  void launch_submitted(contract::RequestId request) override;
  void launch_completed(contract::RequestId request) override;
  void host_access_submitted(contract::RequestId request, const Extent& bytes, bool writes, TimeFs now) override;
  void host_access_completed(contract::RequestId request, TimeFs now) override;
  void kernel_begins(const PeCoord& pe, contract::RequestId request,
                     std::shared_ptr<const contract::KernelLaunch> launch) override;
  void kernel_ends(const PeCoord& pe) override;
  void issued(const PeCoord& pe, std::uint64_t command) override;
  void completed(const PeCoord& pe, std::uint64_t id, const contract::Command& command,
                 const contract::ITranslator* translator, TimeFs start, TimeFs end) override;
  void waited_for(const PeCoord& pe, std::uint64_t command) override;
  void abandoned(const PeCoord& pe, std::uint64_t command) override;
  void barrier_reached(const PeCoord& pe, contract::RequestId request, contract::BarrierScope scope) override;
  void barrier_passed(const PeCoord& pe, contract::RequestId request, contract::BarrierScope scope) override;
  void start_reached(const PeCoord& pe, contract::RequestId request) override;
  void start_passed(const PeCoord& pe, contract::RequestId request) override;
  void message_sent(const PeCoord& pe, std::uint64_t slot_pa) override;
  void message_received(const PeCoord& pe, std::uint64_t command, std::uint64_t slot_pa) override;

 private:
  // Vector clock: the step of each PE, by its index in pes_.
  using Clock = std::vector<std::uint64_t>;
  using ClockPtr = std::shared_ptr<const Clock>;
  struct Launch {
    std::shared_ptr<const contract::KernelLaunch> launch;
    contract::RequestId request = 0;
  };
  static constexpr std::size_t kHost = SIZE_MAX;
  struct Use {
    std::size_t pe = 0;  // or kHost
    contract::CommandKind kind{};
    const char* call = "";
    std::uint64_t call_index = 0;
    contract::SourceLine at;
    TimeFs start = 0_fs, end = 0_fs;
    std::shared_ptr<const Launch> launch;
    std::uint64_t known = 0;             // step of the PE at which the kernel had waited for it; 0: not yet
    std::optional<Dtype> added;          // set for an atomic addition
    contract::RequestId host_request{};  // set for an access of the host
    bool host() const { return pe == kHost; }
  };
  using UsePtr = std::shared_ptr<Use>;
  // The accesses that a later one must be compared with: the last plain write, the last atomic addition of each PE
  // since that write, and the reads since that write.
  struct Uses {
    std::vector<UsePtr> writes, reads;
    friend bool operator==(const Uses& a, const Uses& b) { return a.writes == b.writes && a.reads == b.reads; }
  };
  // A command from its issue until the kernel has waited for it.
  struct Open {
    ClockPtr others;           // clock of the PE at the issue
    std::uint64_t steps = 0;   // the PE's own step at the issue
    UsePtr use;                // set when the command has completed
    std::vector<Extent> held;  // of a prefetch: the bytes that it has read, until the kernel has waited for it
    ClockPtr message;          // of a receive: the clock of its sender
  };
  struct Pe {
    PeCoord coord;
    ClockPtr others;  // known steps of the other PEs; never null
    std::uint64_t steps = 1;
    std::shared_ptr<const Launch> launch;
    std::unordered_map<std::uint64_t, Open> open;
    std::array<std::uint64_t, 2> barriers{};  // number of barriers passed in this launch, by scope
  };
  struct Barrier {
    Clock rendezvous;  // merged clock of all arrived PEs
    std::size_t inside = 0;
    ClockPtr opened;
  };
  // Identifies a barrier by launch, place (no cube for a SIP barrier) and its index in the launch; kStart: the one
  // before its kernels.
  using BarrierKey = std::tuple<contract::RequestId, SipId, CubeId, std::uint64_t>;
  static constexpr std::uint64_t kStart = UINT64_MAX;
  BarrierKey barrier_key(const PeCoord& coord, contract::RequestId request, contract::BarrierScope scope);

  void reach(const BarrierKey& key, const PeCoord& coord);
  void pass(const BarrierKey& key, const PeCoord& coord);

  Pe& pe(const PeCoord& coord);
  std::size_t number(const PeCoord& coord);
  static void join(Clock& into, const Clock& more);
  Clock clock_of(std::size_t pe) const;
  void learn(Pe& pe, const Clock& more);
  static bool before(const Use& earlier, std::size_t pe, const Open& later);
  bool in_order(const Use& earlier, const Use& later, const Open& open) const;
  bool keep_their_order(const Use& a, const Use& b) const;
  static Uses with_write(Uses uses, const UsePtr& use);
  static Uses with_read(Uses uses, const UsePtr& use, const Open& open);
  void note(const Extent& bytes, bool writes, const UsePtr& use, const Open& open);
  void report(const Use& earlier, bool earlier_writes, const Use& later, bool later_writes, std::uint64_t pa,
              std::uint64_t end);
  std::string call_text(const Use& use, bool writes) const;
  static std::string name_of(const Use& use);
  static std::string place_text(const Use& use, std::uint64_t pa, std::uint64_t end, std::string& tensor);

  std::function<bool(std::uint64_t pa)> scratch_;
  bool stores_keep_order_;
  std::map<PeCoord, std::size_t> numbers_;
  std::vector<std::unique_ptr<Pe>> pes_;
  Clock host_;
  struct HostAccess {
    Extent bytes;
    bool writes = false;
    UsePtr use;
    Open open;
  };
  std::unordered_map<contract::RequestId, HostAccess> host_accesses_;  // in progress
  std::unordered_map<contract::RequestId, ClockPtr> submitted_;        // clock of the host at the submission
  std::unordered_map<contract::RequestId, Clock> ended_;               // merged clocks of a launch's PEs, at their ends
  std::map<BarrierKey, Barrier> barriers_;
  std::unordered_map<std::uint64_t, ClockPtr> messages_;  // key: slot address
  data::IntervalMap<Uses> memory_;
  std::vector<Race> races_;
  std::uint64_t not_compared_ = 0;
  std::unordered_map<std::string, std::size_t> known_races_;
};

}  // namespace kb::check
