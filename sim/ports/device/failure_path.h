// How a device ends when something goes wrong, and how it tells.
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

// What the failure path does to its device.
class IFailingDevice {
 public:
  // The engine handles no further event. `stopped` is notified at its time, which may be ahead of SystemC's.
  virtual void stop_engine(const std::string& cause, sc_core::sc_event& stopped) = 0;
  // Answers what is open with errors, and has the host program unwound.
  virtual void abandon(const std::string& cause) = 0;
  // Requests that have no answer yet, and threads of the host program.
  virtual std::size_t unfinished() const = 0;
  // All of that has ended.
  virtual void announce() = 0;

 protected:
  ~IFailingDevice() = default;
};

enum class OnFailure : std::uint8_t { error, warning };

// A failure goes through these steps: the state is set at once; one delta cycle later open requests get error responses
// and the host program is unwound; when they have ended, announce() and failed_event; one delta cycle after that one
// SystemC report with the id "kernbench", from a process of its own. With OnFailure::error the report is an SC_ERROR,
// and breaches and errors of memories are failures, too; with OnFailure::warning they are told, at most kToldPerRule of
// each rule, and the device goes on.
class FailurePath final : public sc_core::sc_module {
 public:
  static constexpr std::uint64_t kToldPerRule = 10;

  FailurePath(const sc_core::sc_module_name& name, std::string device, OnFailure on_failure, IFailingDevice& owner);

  // The first one counts.
  void fail(const Error& error);
  void fail(std::exception_ptr thrown);
  // From anywhere, and inside of any call.
  void note(const modules::OutsideFault& fault);
  // A failure that is found after the simulation: nothing is abandoned or reported.
  void set_failure(const Error& error) { failure_.emplace(error); }

  const std::optional<Error>& failure() const { return failure_; }
  // What was open when the device failed has ended.
  bool settled() const { return step_ >= Step::announced; }
  const sc_core::sc_event& failed_event() const { return failed_event_; }
  // Sentences of faults; those beyond kToldPerRule are counted.
  std::vector<std::string> problems() const;
  bool has_problems() const { return !rules_.empty(); }
  // Code of the first fault.
  const char* problem_code() const { return code_of(first_kind_); }

 private:
  enum class Step : std::uint8_t { working, abandon, settle, announced, report, ended };
  // A process that ends without help does so in fewer delta cycles than these.
  static constexpr int kPatience = 4;

  static const char* code_of(modules::OutsideFault::Kind kind);
  void fail_method();
  void tell_method();
  bool has_settled();
  std::string failure_text() const;
  void report(sc_core::sc_severity severity, const std::string& text);

  std::string device_;
  OnFailure on_failure_;
  IFailingDevice& owner_;
  sc_core::sc_event fail_event_{"fail_event"}, tell_event_{"tell_event"}, failed_event_{"failed_event"};
  std::optional<Error> failure_;
  Step step_ = Step::working;
  std::size_t unfinished_ = 0;
  int unchanged_ = 0;  // delta cycles in which nothing has ended
  modules::OutsideFault::Kind first_kind_{};
  std::vector<std::string> problems_;           // sentences
  std::deque<std::string> to_tell_;             // warnings
  std::map<std::string, std::uint64_t> rules_;  // faults of each rule
};

}  // namespace kb::sim
