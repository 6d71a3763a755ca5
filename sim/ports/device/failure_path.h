// The sequence of steps after a failure of a device.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <exception>
#include <map>
#include <optional>
#include <string>
#include <systemc>
#include <vector>

#include "modules/bridge/outside_fault.h"
#include "platform/base/error.h"

namespace kb::sim {

// Actions of the failure path on its device.
class IFailureActions {
 public:
  // Stops the engine: no further event is handled. `stopped` is notified at the engine's time, which may be ahead of
  // SystemC's.
  virtual void stop_engine(const std::string& cause, sc_core::sc_event& stopped) = 0;
  // Answers open requests with errors, and unwinds the host program.
  virtual void abandon(const std::string& cause) = 0;
  // Number of unanswered requests and running threads of the host program.
  virtual std::size_t unfinished() const = 0;
  // Called when all of these have ended.
  virtual void announce() = 0;

 protected:
  ~IFailureActions() = default;
};

enum class OnFailure : std::uint8_t { error, warning };

// Steps of a failure: the state is set immediately; one delta cycle later, open requests get error responses and the
// host program is unwound; when these have ended, announce() is called and failed_event is notified; one delta cycle
// later, a separate process issues one SystemC report with the id "kernbench". With OnFailure::error the report is an
// SC_ERROR, and protocol violations and memory errors are failures, too. With OnFailure::warning these are reported, at
// most kToldPerRule per rule, and the device continues.
class FailurePath final : public sc_core::sc_module {
 public:
  static constexpr std::uint64_t kToldPerRule = 10;

  FailurePath(const sc_core::sc_module_name& name, std::string device, OnFailure on_failure, IFailureActions& owner);

  // Only the first failure counts.
  void fail(const Error& error);
  void fail(std::exception_ptr thrown);
  // May be called from anywhere, and inside any call.
  void note(const modules::OutsideFault& fault);
  // Sets a failure that is found after the simulation, without further steps.
  void set_failure(const Error& error) { failure_.emplace(error); }

  const std::optional<Error>& failure() const { return failure_; }
  // True when everything that was open at the failure has ended.
  bool settled() const { return step_ >= Step::announced; }
  const sc_core::sc_event& failed_event() const { return failed_event_; }
  // Sentences about faults; those beyond kToldPerRule are only counted.
  std::vector<std::string> problems() const;
  bool has_problems() const { return !rules_.empty(); }
  // Code of the first fault.
  const char* problem_code() const { return code_of(first_kind_); }

 private:
  enum class Step : std::uint8_t { working, abandon, settle, announced, report, ended };
  // A process that can end without help ends within this number of delta cycles.
  static constexpr int kPatience = 4;

  static const char* code_of(modules::OutsideFault::Kind kind);
  void fail_method();
  void report_method();
  bool has_settled();
  std::string failure_text() const;
  void report(sc_core::sc_severity severity, const std::string& text);

  std::string device_;
  OnFailure on_failure_;
  IFailureActions& owner_;
  sc_core::sc_event fail_event_{"fail_event"}, tell_event_{"tell_event"}, failed_event_{"failed_event"};
  std::optional<Error> failure_;
  Step step_ = Step::working;
  std::size_t unfinished_ = 0;
  int unchanged_ = 0;  // number of delta cycles without progress
  modules::OutsideFault::Kind first_kind_{};
  std::vector<std::string> problems_;           // sentences
  std::deque<std::string> to_tell_;             // pending warnings
  std::map<std::string, std::uint64_t> rules_;  // number of faults per rule
};

}  // namespace kb::sim
