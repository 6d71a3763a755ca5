#include "sim/study/sweep/engine.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <deque>
#include <fstream>
#include <map>
#include <new>
#include <string>

#include "platform/base/error.h"
#include "platform/base/printable.h"
#include "sim/study/process/memory_file.h"
#include "sim/study/process/process_pool.h"

namespace kb::sweep {
namespace {

constexpr std::chrono::milliseconds kTick{100};
constexpr std::size_t kMaxSaid = 1000;

Answer failure(std::string code, std::string cause) {
  return {false, std::move(code), std::move(cause), {}};
}

// Runs in the process of a point.
Answer guarded(const std::function<Answer(std::uint64_t)>& run, std::uint64_t point) {
  try {
    return run(point);
  } catch (const Error& error) {
    return failure(error.code(), error.what());
  } catch (const std::bad_alloc&) {
    return failure("OUT_OF_MEMORY", "there is not enough memory for building and simulating the machine");
  } catch (const std::exception& error) {
    return failure("MODEL_ERROR", error.what());
  }
}

double resident_mb(pid_t pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/statm");
  double all = 0, resident = 0;
  file >> all >> resident;
  return resident * static_cast<double>(::sysconf(_SC_PAGESIZE)) / (1024.0 * 1024.0);
}

// Returns the output of a crashed process as one line.
std::string last_words(std::string said) {
  if (said.size() > kMaxSaid) said.erase(0, said.size() - kMaxSaid);
  std::replace(said.begin(), said.end(), '\n', ' ');
  const std::size_t first = said.find_first_not_of(' ');
  if (first == std::string::npos) return {};
  return printable_line(said.substr(first, said.find_last_not_of(' ') - first + 1));
}

class Engine {
 public:
  Engine(const std::vector<std::uint64_t>& points, const EngineWork& work, const Limits& limits, int jobs)
      : points_(points), work_(work), limits_(limits), pool_(jobs) {}

  void run() {
    while (next_ < points_.size() || !again_.empty() || pool_.running() > 0) {
      if (start_one()) continue;
      if (std::optional<sim::ProcessPool::Ended> ended = pool_.wait_for(kTick)) take(*ended);
      watch();
      if (work_.tick) work_.tick();
    }
  }

 private:
  // One try of a point.
  struct Try {
    std::uint64_t point = 0;
    int number = 0;
    sim::MemoryFile answer, said;
    std::string code, cause;  // reason why the sweep killed it
  };

  bool start_one() {
    if (pool_.full() || (next_ == points_.size() && again_.empty())) return false;
    const bool retry = !again_.empty();
    const std::uint64_t point = retry ? again_.front().first : points_[next_];
    const int number = retry ? again_.front().second : 0;
    if (work_.prepare) work_.prepare(point);
    Try one;
    one.point = point;
    one.number = number;
    sim::ProcessJob job;
    job.call = [&] {
      // A signal to the whole process group is meant for the sweep: this process ends with it and has not failed.
      for (const int signal : {SIGINT, SIGTERM, SIGHUP}) ::signal(signal, SIG_IGN);
      ::dup2(one.said.descriptor(), STDOUT_FILENO);
      ::dup2(one.said.descriptor(), STDERR_FILENO);
      one.answer.write(to_text(guarded(work_.run, point)));
      std::fflush(nullptr);
    };
    if (!pool_.start(job, id_)) return false;
    tries_.emplace(id_++, std::move(one));
    if (retry) {
      again_.pop_front();
    } else {
      ++next_;
    }
    return true;
  }

  // Kills the processes that exceed a limit.
  void watch() {
    if (limits_.time_s <= 0.0 && limits_.memory_mb <= 0.0) return;
    for (const sim::ProcessPool::Under& process : pool_.in_flight()) {
      Try& one = tries_.at(process.id);
      if (!one.code.empty()) continue;
      const double memory = limits_.memory_mb > 0.0 ? resident_mb(process.pid) : 0.0;
      if (limits_.time_s > 0.0 && process.wall_s > limits_.time_s) {
        one.code = "TIME_LIMIT_OF_POINT";
        one.cause = fmt::format("took longer than the {:g} s of limits.time", limits_.time_s);
      } else if (memory > limits_.memory_mb) {
        refuse_memory(one);
      } else {
        continue;
      }
      pool_.kill(process.id);
    }
  }

  void refuse_memory(Try& one) const {
    one.code = "MEMORY_LIMIT_OF_POINT";
    one.cause = fmt::format("used more than the {:g} MB of limits.memory", limits_.memory_mb);
  }

  void take(const sim::ProcessPool::Ended& ended) {
    const auto found = tries_.find(ended.id);
    Try one = std::move(found->second);
    tries_.erase(found);
    if (one.code.empty() && limits_.memory_mb > 0.0 && ended.end.rss_mb > limits_.memory_mb) refuse_memory(one);
    std::optional<Answer> answer;
    if (one.code.empty() && ended.end.code == 0) answer = answer_of(one.answer.contents());
    if (!answer && one.number < limits_.retries) {
      again_.emplace_back(one.point, one.number + 1);
      return;
    }
    work_.finished(one.point, answer ? *answer : failure_of(one, ended.end));
  }

  static Answer failure_of(const Try& one, const sim::ProcessEnd& end) {
    const std::string tries = one.number > 0 ? fmt::format(" ({} tries)", one.number + 1) : std::string();
    if (!one.code.empty()) return failure(one.code, one.cause + tries);
    const std::string words = last_words(one.said.contents());
    const std::string how = end.signal != 0
                                ? fmt::format("was ended by signal {} ({})", end.signal, ::strsignal(end.signal))
                                : fmt::format("ended with code {}", end.code);
    return failure("NO_ANSWER", "the process " + how + tries + (words.empty() ? "" : ": " + words));
  }

  const std::vector<std::uint64_t>& points_;
  const EngineWork& work_;
  const Limits& limits_;
  sim::ProcessPool pool_;
  std::size_t next_ = 0;
  std::deque<std::pair<std::uint64_t, int>> again_;  // points and how often they were tried
  std::map<std::size_t, Try> tries_;
  std::size_t id_ = 0;
};

}  // namespace

void run_points(const std::vector<std::uint64_t>& points, const EngineWork& work, const Limits& limits, int jobs) {
  Engine(points, work, limits, jobs).run();
}

}  // namespace kb::sweep
