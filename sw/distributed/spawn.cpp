#include "sw/distributed/spawn.h"

#include <fmt/format.h>

#include <exception>
#include <utility>
#include <vector>

#include "sw/distributed/rank_group.h"

namespace kb::sw {
namespace {

constexpr int kMaxRanks = 4096;  // each has its own stack

std::string spawn_message(const Error& first, const std::map<int, std::string>& errors) {
  std::string ranks;
  for (const auto& [rank, message] : errors) ranks += (ranks.empty() ? "" : ", ") + std::to_string(rank);
  return fmt::format("rank{} {} failed: {}", errors.size() == 1 ? "" : "s", ranks, first.what());
}

// Converts an exception of a rank to an Error.
Error as_error(const std::exception_ptr& thrown) {
  try {
    std::rethrow_exception(thrown);
  } catch (const Error& error) {
    return error;
  } catch (const std::exception& error) {
    return error_of_program(error, "");
  } catch (...) {
    return Error::program("BENCH_ERROR", "an exception that is not a std::exception");
  }
}

// Registers the ranks with the runtime, and removes them also when the run ends by an exception.
class InsideRanks {
 public:
  InsideRanks(Runtime& runtime, IRankWaiter& waiter, int nprocs) : runtime_(runtime) {
    runtime_.enter_ranks(waiter, nprocs);
  }
  ~InsideRanks() { runtime_.leave_ranks(); }
  InsideRanks(const InsideRanks&) = delete;
  InsideRanks& operator=(const InsideRanks&) = delete;

 private:
  Runtime& runtime_;
};

[[noreturn]] void throw_spawn_error(const std::vector<std::pair<int, std::exception_ptr>>& failures) {
  std::map<int, std::string> errors;
  for (const auto& [rank, thrown] : failures) errors.emplace(rank, as_error(thrown).what());
  throw SpawnError(as_error(failures.front().second), std::move(errors));
}

}  // namespace

SpawnError::SpawnError(const Error& first, std::map<int, std::string> errors)
    : Error(first.family(), first.code(), spawn_message(first, errors)), errors_(std::move(errors)) {}

void spawn(Runtime& runtime, int nprocs, const std::function<void(int rank)>& fn, const SpawnOptions& options) {
  if (nprocs < 1) {
    throw Error::program("SPAWN_ERROR", fmt::format("spawn: {} ranks were asked for; at least 1 is needed", nprocs));
  }
  if (nprocs > kMaxRanks) {
    throw Error::program("SPAWN_ERROR", fmt::format("spawn: {} ranks were asked for; at most {} are possible, one per "
                                                    "PE of the largest machine",
                                                    nprocs, kMaxRanks));
  }
  RankGroup group(runtime.host(), nprocs, options.mode);
  const InsideRanks inside(runtime, group, nprocs);
  std::vector<std::pair<int, std::exception_ptr>> failures;  // in the order of occurrence
  runtime.host().run_workers(nprocs, options.name, [&](int rank) {
    try {
      group.check_aborted();
      fn(rank);
    } catch (const RankAborted&) {
      // Ended because another rank failed: not a root cause.
    } catch (...) {
      failures.emplace_back(rank, std::current_exception());
      group.abort();
    }
    group.finish();
  });
  if (!failures.empty()) throw_spawn_error(failures);
}

int get_rank(Runtime& runtime) {
  return runtime.rank();
}

int get_world_size(const Runtime& runtime) {
  return runtime.world_size();
}

namespace ahbm {
void set_device(Runtime& runtime, int sip) {
  runtime.set_device(sip);
}
int current_device(Runtime& runtime) {
  return runtime.current_device();
}
}  // namespace ahbm

namespace accelerator {
void set_device_index(Runtime& runtime, int sip) {
  runtime.set_device(sip);
}
int current_device_index(Runtime& runtime) {
  return runtime.current_device();
}
}  // namespace accelerator

}  // namespace kb::sw
