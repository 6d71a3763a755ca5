// The process-wide settings of SystemC and the one way in which its reports reach the user.
#pragma once

#include <exception>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace kb::observe {
class EventLog;
}

namespace kb::sim {

// Time resolution of 1 fs and the report handler. Once per process, before the first module.
void prepare_systemc();

// What SystemC does and reports while this lives; one at a time.
class SystemcRun {
 public:
  explicit SystemcRun(observe::EventLog* log);  // takes the warnings, too, as they come; null: there is no log
  ~SystemcRun();
  SystemcRun(const SystemcRun&) = delete;
  SystemcRun& operator=(const SystemcRun&) = delete;

  // Ends elaboration and runs what happens at time zero.
  void start();
  // Runs the simulation until nothing is left to do. For both: an exception that escapes a process comes out unchanged;
  // other SystemC errors become model Errors that name the instance and the simulated time.
  void run();
  const std::vector<std::string>& warnings() const { return warnings_; }
  // `listener` gets each warning when it comes.
  void on_warning(std::function<void(const std::string&)> listener) { listener_ = std::move(listener); }

  // Called by the report handler.
  void warn(std::string text);
  void keep_escaped(std::exception_ptr exception);  // the first one; SystemC itself keeps only its text

 private:
  void advance(void (*step)());

  observe::EventLog* log_;
  std::exception_ptr escaped_;
  std::vector<std::string> warnings_;
  std::function<void(const std::string&)> listener_;
};

}  // namespace kb::sim
