// The PEs of a SIP without timing: each kernel runs on its own thread, and waits for the others at barriers. Scratch
// holds NaNs at the beginning of a run.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <exception>
#include <map>
#include <mutex>
#include <set>
#include <stdexcept>
#include <thread>
#include <vector>

#include "platform/base/even_parts.h"
#include "platform/contract/command.h"
#include "platform/contract/kernel.h"
#include "tests/unit/kernels/device.h"

namespace kb::tests {

class BarrierMachine {
 public:
  BarrierMachine(Device& device, std::int64_t cubes, std::int64_t pes,
                 std::uint64_t scratch_bytes = std::uint64_t{1} << 20, const contract::PeRates& rates = {})
      : device_(device), cubes_(cubes), pes_(pes), scratch_bytes_(scratch_bytes), rates_(rates) {}

  enum class Split { copies, rows, columns };
  // As DPPolicy splits a tensor, at a place of its own.
  LayoutPtr tensor(const std::string& name, Dtype dtype, const Shape& shape, Split cube, Split pe) {
    LayoutPtr layout = empty_layout(name, dtype, shape, {});
    next_pa_ += 0x100000000;
    std::uint64_t offset = 0;
    for (std::int64_t c = 0; c < cubes_; ++c) {
      const Shape of_cube = part(shape, cube, c, cubes_);
      for (std::int64_t p = 0; p < pes_; ++p) {
        const Shape own = part(of_cube, pe, p, pes_);
        const auto size = static_cast<std::uint64_t>(element_count(own)) * item_size(dtype);
        if (layout->shard_shape.empty()) layout->shard_shape = own;
        const std::uint64_t pa = next_pa_ + static_cast<std::uint64_t>(c * pes_ + p) * 0x1000000;
        if (size > 0) layout->shards.push_back({pe_at(0, index(c), index(p)), pa, size, offset, own});
        if (pe != Split::copies) offset += size;
      }
      if (cube == Split::copies) {
        offset = 0;
      } else if (pe == Split::copies) {
        offset += static_cast<std::uint64_t>(element_count(of_cube)) * item_size(dtype);
      }
    }
    return layout;
  }

  // Rethrows the exception of a kernel that failed.
  void run(const contract::Kernel& kernel, const std::vector<contract::NamedArg>& args) {
    std::vector<std::thread> threads;
    for (std::int64_t i = 0; i < cubes_ * pes_; ++i) {
      threads.emplace_back([&, i] {
        Pe pe(*this, i / pes_, i % pes_);
        try {
          kernel.run(pe, args);
        } catch (...) {
          const std::lock_guard<std::mutex> lock(mutex_);
          if (!error_) error_ = std::current_exception();
        }
        const std::lock_guard<std::mutex> lock(mutex_);
        ended_.insert(-1);
        ended_.insert(i / pes_);
        event_.notify_all();
      });
    }
    for (std::thread& thread : threads) thread.join();
    ended_.clear();
    waiting_.clear();
    if (error_) std::rethrow_exception(std::exchange(error_, nullptr));
  }

 private:
  class Pe final : public contract::IPe {
   public:
    Pe(BarrierMachine& machine, std::int64_t cube, std::int64_t pe)
        : machine_(machine), info_(tl::RecordingPe::default_info()) {
      info_.coord = pe_at(0, index(cube), index(pe));
      info_.pes_per_cube = static_cast<int>(machine.pes_);
      info_.cubes_per_sip = static_cast<int>(machine.cubes_);
      info_.scratch_pa = 0x90000000000 + static_cast<std::uint64_t>(cube * machine.pes_ + pe) * 0x1000000;
      info_.scratch_bytes = machine.scratch_bytes_;
      info_.rates = machine.rates_;
      const std::vector<std::byte> nans(info_.scratch_bytes, std::byte{0xff});
      const std::lock_guard<std::mutex> lock(machine_.mutex_);
      machine_.device_.memory.write(info_.scratch_pa, nans.data(), nans.size());
    }
    const contract::PeInfo& info() const override { return info_; }
    void execute(const contract::Command& command) override {
      if (command.kind == contract::CommandKind::barrier) {
        machine_.barrier(command.scope, info_.coord);
        return;
      }
      const std::lock_guard<std::mutex> lock(machine_.mutex_);
      machine_.device_.recorder.on_command(NodeId{0}, command, nullptr, 0_fs, 0_fs);
    }
    void write_scratch(std::uint64_t pa, Dtype dtype, std::vector<std::byte> bytes) override {
      const std::lock_guard<std::mutex> lock(machine_.mutex_);
      machine_.device_.recorder.on_scratch_write(NodeId{0}, pa, dtype, std::move(bytes), 0_fs);
    }
    std::vector<std::byte> read(const std::vector<Extent>& extents) override {
      const std::lock_guard<std::mutex> lock(machine_.mutex_);
      return machine_.device_.recorder.kernel_read(extents);
    }
    std::optional<std::vector<std::byte>> read_if_known(const std::vector<Extent>& extents) override {
      const std::lock_guard<std::mutex> lock(machine_.mutex_);
      return machine_.device_.recorder.read_if_known(extents);
    }

   private:
    BarrierMachine& machine_;
    contract::PeInfo info_;
  };

  static std::uint32_t index(std::int64_t i) { return static_cast<std::uint32_t>(i); }
  static Shape part(Shape shape, Split split, std::int64_t i, std::int64_t count) {
    if (split == Split::copies) return shape;
    std::int64_t& size = split == Split::rows ? shape.front() : shape.back();
    size = EvenParts(size, count).size(i);
    return shape;
  }

  // Number of PEs that have come, and how often all have.
  struct Meeting {
    std::int64_t arrived = 0, passed = 0;
  };
  void barrier(contract::BarrierScope scope, const PeCoord& pe) {
    std::unique_lock<std::mutex> lock(mutex_);
    const bool sip = scope == contract::BarrierScope::sip;
    const std::int64_t where = sip ? -1 : static_cast<std::int64_t>(pe.cube.value);
    Meeting& meeting = waiting_[where];
    const std::int64_t turn = meeting.passed;
    if (++meeting.arrived == (sip ? cubes_ * pes_ : pes_)) {
      meeting = {0, turn + 1};
      event_.notify_all();
      return;
    }
    event_.wait(lock, [&] { return meeting.passed != turn || ended_.count(where) != 0 || error_; });
    if (meeting.passed == turn) throw std::runtime_error("a kernel ended before a barrier");
  }

  Device& device_;
  std::int64_t cubes_, pes_;
  std::uint64_t scratch_bytes_;
  contract::PeRates rates_;
  std::uint64_t next_pa_ = 0;
  std::mutex mutex_;
  std::condition_variable event_;
  std::map<std::int64_t, Meeting> waiting_;  // by cube; -1: SIP
  std::set<std::int64_t> ended_;             // cubes, and -1, in which a kernel has ended
  std::exception_ptr error_;
};

}  // namespace kb::tests
