// PEs without timing that meet at barriers: each kernel runs on its own thread, one at a time. Detects a barrier that a
// PE never reaches. Scratch holds NaNs at the beginning of a run.
#pragma once

#include <condition_variable>
#include <exception>
#include <map>
#include <mutex>
#include <stdexcept>
#include <thread>
#include <utility>
#include <vector>

#include "kernels/tl/recording_pe.h"
#include "platform/contract/command.h"
#include "platform/contract/i_pe.h"
#include "tests/unit/kernels/device.h"

namespace kb::tests {

class BarrierMachine {
 public:
  BarrierMachine(Device& device, int cubes, int pes_per_cube, std::uint64_t scratch_bytes = std::uint64_t{1} << 20)
      : device_(device), cubes_(cubes), pes_(pes_per_cube), scratch_bytes_(scratch_bytes) {}

  // Rethrows the exception of the first kernel that failed.
  void run(const contract::Kernel& kernel, const std::vector<contract::NamedArg>& args) {
    error_ = nullptr;
    ended_.clear();
    std::vector<std::thread> threads;
    for (int i = 0; i < cubes_ * pes_; ++i) {
      threads.emplace_back([&, i] {
        Pe pe(*this, i / pes_, i % pes_);
        try {
          kernel.run(pe, args);
        } catch (...) {
          const std::lock_guard<std::mutex> lock(mutex_);
          if (!error_) error_ = std::current_exception();
        }
        const std::lock_guard<std::mutex> lock(mutex_);
        ++ended_[pe.info().coord.cube.value];
        event_.notify_all();
      });
    }
    for (std::thread& thread : threads) thread.join();
    if (error_) std::rethrow_exception(error_);
  }

 private:
  struct Barrier {
    int arrived = 0;
    std::uint64_t generation = 0;
  };

  class Pe final : public contract::IPe {
   public:
    Pe(BarrierMachine& machine, int cube, int pe) : machine_(machine), info_(tl::RecordingPe::default_info()) {
      info_.coord = pe_at(0, static_cast<std::uint32_t>(cube), static_cast<std::uint32_t>(pe));
      info_.pes_per_cube = machine.pes_;
      info_.cubes_per_sip = machine.cubes_;
      const auto index = static_cast<std::uint64_t>(cube * machine.pes_ + pe);
      info_.scratch_pa = 0x900000000000 + index * std::uint64_t{0x1000000};
      info_.scratch_bytes = machine.scratch_bytes_;
      const std::vector<std::byte> nans(info_.scratch_bytes, std::byte{0xff});
      const std::lock_guard<std::mutex> lock(machine_.mutex_);
      machine_.device_.memory.write(info_.scratch_pa, nans.data(), nans.size());
    }
    const contract::PeInfo& info() const override { return info_; }
    void execute(const contract::Command& command) override { machine_.execute(info_.coord, command); }
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

  void execute(PeCoord pe, const contract::Command& command) {
    std::unique_lock<std::mutex> lock(mutex_);
    if (command.kind != contract::CommandKind::barrier) {
      device_.recorder.on_command(NodeId{0}, command, nullptr, 0_fs, 0_fs);
      return;
    }
    const bool sip = command.scope == contract::BarrierScope::sip;
    const std::uint32_t cube = pe.cube.value;
    Barrier& barrier = barriers_[sip ? -1 : static_cast<int>(cube)];
    const std::uint64_t mine = barrier.generation;
    if (++barrier.arrived == (sip ? cubes_ * pes_ : pes_)) {
      barrier.arrived = 0;
      ++barrier.generation;
      event_.notify_all();
      return;
    }
    const auto ended = [&] {
      int count = 0;
      for (const auto& [where, pes] : ended_) count += sip || where == cube ? pes : 0;
      return count > 0;
    };
    event_.wait(lock, [&] { return barrier.generation != mine || error_ || ended(); });
    if (barrier.generation == mine) throw std::runtime_error("a PE ended before the barrier");
  }

  Device& device_;
  int cubes_, pes_;
  std::uint64_t scratch_bytes_;
  std::map<int, Barrier> barriers_;  // by cube; -1: of the SIP
  std::map<std::uint32_t, int> ended_;
  std::mutex mutex_;
  std::condition_variable event_;
  std::exception_ptr error_;
};

}  // namespace kb::tests
