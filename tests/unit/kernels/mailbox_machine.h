// PEs without timing that exchange messages: each kernel runs on its own thread, and queues are mailboxes of `n_slots`
// messages. Detects a deadlock.
#pragma once

#include <condition_variable>
#include <deque>
#include <exception>
#include <functional>
#include <map>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "kernels/tl/recording_pe.h"
#include "platform/contract/command.h"
#include "platform/contract/i_pe.h"
#include "tests/unit/kernels/device.h"

namespace kb::tests {

class MailboxMachine {
 public:
  // PE as a position in `coords`, and label. The wiring maps a sending port to the receiving one.
  using Port = std::pair<std::size_t, std::string>;

  MailboxMachine(Device& device, std::vector<PeCoord> coords, int pes_per_cube, int cubes, std::size_t n_slots,
                 std::map<Port, Port> links)
      : device_(device),
        coords_(std::move(coords)),
        pes_per_cube_(pes_per_cube),
        cubes_(cubes),
        n_slots_(n_slots),
        links_(std::move(links)),
        commands_(coords_.size()) {}

  // Rethrows the exception of the first kernel that failed.
  void run(const contract::Kernel& kernel, const std::vector<contract::NamedArg>& args) {
    alive_ = coords_.size();
    std::vector<std::thread> threads;
    for (std::size_t i = 0; i < coords_.size(); ++i) {
      threads.emplace_back([&, i] {
        Pe pe(*this, i);
        try {
          kernel.run(pe, args);
        } catch (...) {
          const std::lock_guard<std::mutex> lock(mutex_);
          if (!error_) error_ = std::current_exception();
        }
        const std::lock_guard<std::mutex> lock(mutex_);
        --alive_;
        changed();
      });
    }
    for (std::thread& thread : threads) thread.join();
    if (error_) std::rethrow_exception(error_);
  }
  // Number of commands of each kind that a PE issued; "macs" are those of all products.
  const std::map<std::string, int>& commands(std::size_t pe) const { return commands_[pe]; }
  bool all_read() const {
    for (const auto& [port, box] : boxes_) {
      if (!box.empty()) return false;
    }
    return true;
  }

 private:
  class Pe final : public contract::IPe {
   public:
    Pe(MailboxMachine& machine, std::size_t index)
        : machine_(machine), index_(index), info_(tl::RecordingPe::default_info()) {
      info_.coord = machine.coords_[index];
      info_.pes_per_cube = machine.pes_per_cube_;
      info_.cubes_per_sip = machine.cubes_;
      info_.scratch_pa = 0x900000000 + index * std::uint64_t{0x1000000};
      info_.message_base += index * info_.message_bytes;
    }
    const contract::PeInfo& info() const override { return info_; }
    void execute(const contract::Command& command) override { machine_.execute(index_, command); }
    void write_scratch(std::uint64_t pa, Dtype dtype, std::vector<std::byte> bytes) override {
      const std::lock_guard<std::mutex> lock(machine_.mutex_);
      machine_.device_.recorder.on_scratch_write(NodeId{0}, pa, dtype, std::move(bytes), 0_fs);
    }
    std::vector<std::byte> read(const std::vector<Extent>&) override { throw std::logic_error("a look at data"); }

   private:
    MailboxMachine& machine_;
    std::size_t index_;
    contract::PeInfo info_;
  };

  void execute(std::size_t pe, const contract::Command& command) {
    std::unique_lock<std::mutex> lock(mutex_);
    ++commands_[pe][kind_of(command)];
    if (contract::engine_of(command) == engine::EngineId::gemm) {
      commands_[pe]["macs"] += static_cast<int>(command.m * command.k * command.n);
    }
    if (command.kind == contract::CommandKind::ipcq_send) {
      const auto link = links_.find({pe, command.direction});
      if (link == links_.end()) throw std::runtime_error("no queue '" + command.direction + "' to send on");
      auto& box = boxes_[link->second];
      wait(lock, [&] { return box.size() < n_slots_; });
      box.push_back(device_.engine.read(command.local));
      changed();
    } else if (command.kind == contract::CommandKind::ipcq_recv) {
      auto& box = boxes_[{pe, command.direction}];
      wait(lock, [&] { return !box.empty(); });
      const Extent to = command.local.front();
      if (box.front().size() != to.nbytes) throw std::runtime_error("a message of another size");
      device_.memory.write(to.pa, box.front().data(), to.nbytes);
      box.pop_front();
      changed();
    } else {
      device_.recorder.on_command(NodeId{0}, command, nullptr, 0_fs, 0_fs);
    }
  }
  static std::string kind_of(const contract::Command& command) {
    if (command.kind == contract::CommandKind::ipcq_send) return "send";
    if (command.kind == contract::CommandKind::ipcq_recv) return "recv";
    return contract::engine_of(command) == engine::EngineId::gemm ? "gemm" : "other";
  }
  // A kernel counts as waiting until some state has changed; it is a deadlock when all remaining kernels wait.
  void wait(std::unique_lock<std::mutex>& lock, const std::function<bool()>& ready) {
    while (!ready()) {
      if (error_) throw std::runtime_error("another kernel failed");
      if (++waiting_ == alive_) {
        error_ = std::make_exception_ptr(std::runtime_error("deadlock"));
        event_.notify_all();
        throw std::runtime_error("deadlock");
      }
      const std::uint64_t seen = changes_;
      event_.wait(lock, [&] { return changes_ != seen || error_; });
    }
  }
  void changed() {
    ++changes_;
    waiting_ = 0;
    event_.notify_all();
  }

  Device& device_;
  std::vector<PeCoord> coords_;
  int pes_per_cube_, cubes_;
  std::size_t n_slots_;
  std::map<Port, Port> links_;
  std::map<Port, std::deque<std::vector<std::byte>>> boxes_;
  std::vector<std::map<std::string, int>> commands_;
  std::mutex mutex_;
  std::condition_variable event_;
  std::size_t alive_ = 0, waiting_ = 0;
  std::uint64_t changes_ = 0;
  std::exception_ptr error_;
};

}  // namespace kb::tests
