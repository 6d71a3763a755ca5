// What a run of a point answers.
#pragma once

#include <string>
#include <vector>

#include "platform/base/units.h"
#include "sim/study/sweep/answer.h"
#include "sim/study/why/point.h"

namespace kb::why {

// Use of one wire ("a -> b") or block by all launches, from their submission to their completion.
struct MemberUse {
  std::string name;
  TimeFs busy = 0_fs, wait = 0_fs;
};

// Use of the wires of one kind of link, or of the blocks of one kind.
struct ClassUse {
  std::string kind;  // "ucie_mesh", "hbm_ctrl"
  bool wires = false;
  TimeFs busy = 0_fs, wait = 0_fs;
  std::vector<MemberUse> members;  // those that waited longest, or were busy longest
  static constexpr std::size_t kMostMembers = 3;
};

// What the code does and could do otherwise.
struct CodeUse {
  enum class Kind {
    no_wait,      // a call of a kernel that its thread waited for
    copies,       // a tensor that many PEs read from few memories
    work,         // PEs with more to do than the others
    host_copies,  // reads and writes of the host
  };
  Kind kind{};
  std::string name;    // "blocking.cpp:20", "h", "sip0.cube0.pe2:0.25"; "" for the host
  std::string text;    // "blocking.cpp:20 load h"
  TimeFs time = 0_fs;  // that was waited for, on the PEs that ended last
};

struct LaunchTime {
  std::uint64_t id = 0;
  TimeFs submitted = 0_fs, completed = 0_fs;
};

struct Measure {
  bool ok = false;
  std::string code, cause;           // of a failure
  TimeFs time = 0_fs;                // from the first submission of a launch to the last completion
  std::vector<LaunchTime> launches;  // with the account only
  std::string limiter;               // what limits the longest launch, in words; with the account only
  std::string bound_name;            // the bound below the time, in words
  TimeFs bound = 0_fs;
  std::uint64_t unknown_accesses = 0;  // as in the result: their times are assumed
  std::vector<ClassUse> uses;          // with the account only
  std::vector<CodeUse> calls;          // the same
};

sweep::Answer answer_of(const Measure& measure);
Measure measure_of(const sweep::Answer& answer);

// Code of the measure of a point that was not run, because the time for it was over.
inline constexpr const char* kOutOfBudget = "OUT_OF_BUDGET";

struct Request {
  Point point;
  bool account = false;
};

// Runs points. Equal requests are run once.
class IMeasurer {
 public:
  virtual ~IMeasurer() = default;
  // The measures in the order of the requests. With the code kOutOfBudget a point was not run.
  virtual std::vector<Measure> measure(const std::vector<Request>& requests) = 0;
};

}  // namespace kb::why
