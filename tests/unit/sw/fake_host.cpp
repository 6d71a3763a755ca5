#include "tests/unit/sw/fake_host.h"

#include <cstring>
#include <utility>

#include "platform/base/error.h"
#include "platform/contract/completion.h"
#include "platform/contract/data_mode.h"
#include "platform/contract/launch_summary.h"

namespace kb::sw::testing {

contract::MachineInfo FakeHost::small_machine() {
  contract::MachineInfo machine;
  machine.sips = 2;
  machine.cubes_per_sip = 4;
  machine.cube_mesh_w = machine.cube_mesh_h = 2;
  machine.pes_per_cube = 2;
  machine.hbm_slice_bytes = 64 * kKiB;
  machine.tcm_bytes = kMiB;
  machine.scratch_bytes = 512 * kKiB;
  return machine;
}

FakeHost::FakeHost(contract::MachineInfo machine, contract::DataMode mode) : machine_(machine), mode_(mode) {}

FakeHost::~FakeHost() = default;

std::vector<std::byte> FakeHost::peek(std::uint64_t pa, std::uint64_t nbytes) const {
  std::vector<std::byte> out(nbytes);
  for (std::uint64_t i = 0; i < nbytes; ++i) {
    const auto found = memory_.find(pa + i);
    if (found != memory_.end()) out[i] = found->second;
  }
  return out;
}

void FakeHost::poke(std::uint64_t pa, const std::vector<std::byte>& bytes) {
  for (std::uint64_t i = 0; i < bytes.size(); ++i) memory_[pa + i] = bytes[i];
}

std::vector<std::byte> FakeHost::read_memory(std::uint64_t pa, std::uint64_t nbytes) {
  if (mode_ == contract::DataMode::off) return std::vector<std::byte>(nbytes);
  return peek(pa, nbytes);
}

std::optional<std::vector<std::byte>> FakeHost::read_if_known(std::uint64_t pa, std::uint64_t nbytes) {
  for (std::uint64_t i = 0; mode_ == contract::DataMode::off && i < nbytes; ++i) {
    if (known.count(pa + i) == 0) return std::nullopt;
  }
  return peek(pa, nbytes);
}

contract::RequestId FakeHost::add(const std::string& what, SipId sip, TimeFs duration,
                                  std::function<void(contract::Completion&)> effect) {
  const contract::RequestId id = next_request_++;
  log.push_back({now_, running_, what, sip});
  Request& request = requests_[id];
  request.completion = std::make_shared<contract::Completion>();
  request.completion->submitted = now_;
  const std::string code = fail ? fail(what) : "";
  request.effect = std::move(effect);
  if (!code.empty()) {
    request.effect = [code](contract::Completion& completion) {
      completion.ok = false;
      completion.error_code = code;
      completion.error_message = "it broke at sip0.cube0.pe0";
    };
  }
  due_[{now_ + duration, id}] = id;
  return id;
}

contract::RequestId FakeHost::submit(const contract::MemoryWrite& request) {
  writes.push_back(request);
  return add("write", request.owner.sip, times.write, [this, request](contract::Completion&) {
    std::vector<std::byte> bytes(request.nbytes);
    for (std::uint64_t i = 0; i < request.nbytes; ++i) {
      request.known ? static_cast<void>(known.insert(request.pa + i)) : static_cast<void>(known.erase(request.pa + i));
    }
    if (request.buffer && request.buffer->empty()) return;
    if (request.buffer) {
      std::memcpy(bytes.data(), request.buffer->data() + request.buffer_offset, request.nbytes);
    } else {
      for (std::uint64_t i = 0; i < request.nbytes; ++i) {
        bytes[i] = static_cast<std::byte>(request.pattern.value >> (8 * (i % request.pattern.width)));
      }
    }
    poke(request.pa, bytes);
  });
}

contract::RequestId FakeHost::submit(const contract::MemoryRead& request) {
  reads.push_back(request);
  return add("read", request.owner.sip, times.read, [](contract::Completion&) {});
}

contract::RequestId FakeHost::submit(std::shared_ptr<const contract::KernelLaunch> request) {
  launches.push_back(request);
  const TimeFs duration = launch_time ? launch_time(*request) : times.launch;
  return add("launch " + request->kernel, request->sip, duration,
             [this, request, duration](contract::Completion& done) {
               for (const CubeId cube : request->cubes) {
                 for (const PeId pe : request->pes) {
                   contract::PeResult result;
                   result.pe = {request->sip, cube, pe};
                   result.start = done.submitted + duration / 2;
                   result.exec = duration / 2;
                   done.pes.push_back(result);
                 }
               }
               const auto kernel = kernels.find(request->kernel);
               if (kernel != kernels.end()) kernel->second(*this, *request, done);
               done.summary = contract::summarise(done.pes);
             });
}

contract::RequestId FakeHost::submit(const contract::MapRequest& request) {
  maps.push_back(request);
  return add(request.unmap ? "unmap" : "map", request.sip, times.map, [](contract::Completion&) {});
}

const contract::Completion& FakeHost::completion(contract::RequestId request) const {
  const Request& found = requests_.at(request);
  if (!found.done) throw Error::model("completion of an open request");
  return *found.completion;
}

void FakeHost::on_done(contract::RequestId request, std::function<void()> callback) {
  Request& found = requests_.at(request);
  if (found.done) {
    callback();
  } else {
    found.callbacks.push_back(std::move(callback));
  }
}

void FakeHost::complete_next() {
  const auto next = due_.begin();
  now_ = next->first.first;
  Request& request = requests_.at(next->second);
  due_.erase(next);
  request.effect(*request.completion);
  request.completion->completed = now_;
  request.done = true;
  for (const auto& callback : std::exchange(request.callbacks, {})) callback();
}

void FakeHost::give_turn(int thread) {
  running_ = thread;
  turn_changed_.notify_all();
}

void FakeHost::wait_for_turn(int thread) {
  std::unique_lock<std::mutex> lock(mutex_);
  turn_changed_.wait(lock, [&] { return running_ == thread; });
}

void FakeHost::pass_turn_until(bool& mine) {
  while (!mine) {
    if (!ready_.empty()) {
      const int worker = ready_.front();
      ready_.pop_front();
      {
        const std::lock_guard<std::mutex> lock(mutex_);
        give_turn(worker);
      }
      wait_for_turn(kMain);
    } else if (!due_.empty()) {
      complete_next();
    } else {
      throw Error(ErrorFamily::no_progress, "TIMEOUT", "the fake machine has nothing left to do");
    }
  }
}

class FakeHost::Signal final : public contract::ISignal {
 public:
  explicit Signal(FakeHost& host) : host_(host) {}

  void wait(const std::string&) override {
    if (host_.running_ == kMain) {
      main_notified_ = false;
      host_.pass_turn_until(main_notified_);
      return;
    }
    const int worker = host_.running_;
    waiters_.push_back(worker);
    {
      const std::lock_guard<std::mutex> lock(host_.mutex_);
      host_.give_turn(kMain);
    }
    host_.wait_for_turn(worker);
  }

  void notify_all() override {
    main_notified_ = true;
    for (const int worker : std::exchange(waiters_, {})) host_.ready_.push_back(worker);
  }

 private:
  FakeHost& host_;
  bool main_notified_ = false;
  std::vector<int> waiters_;
};

std::unique_ptr<contract::ISignal> FakeHost::make_signal() {
  return std::make_unique<Signal>(*this);
}

void FakeHost::run_workers(int count, const std::string&, std::function<void(int rank)> body) {
  int alive = count;
  bool all_done = false;
  std::vector<std::thread> threads;
  for (int rank = 0; rank < count; ++rank) {
    ready_.push_back(rank);
    threads.emplace_back([&, rank] {
      wait_for_turn(rank);
      body(rank);
      const std::lock_guard<std::mutex> lock(mutex_);
      if (--alive == 0) all_done = true;
      give_turn(kMain);
    });
  }
  pass_turn_until(all_done);
  for (std::thread& thread : threads) thread.join();
}

}  // namespace kb::sw::testing
