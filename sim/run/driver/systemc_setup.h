// Process-wide settings of SystemC, and the handling of its reports.
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

// Sets the time resolution of 1 fs and the report handler. Must be called once per process, before the first module.
void prepare_systemc();

// Runs SystemC and collects its reports; one object at a time.
class SystemcRun {
 public:
  explicit SystemcRun(observe::EventLog* log);  // the log also receives the warnings immediately; may be null
  ~SystemcRun();
  SystemcRun(const SystemcRun&) = delete;
  SystemcRun& operator=(const SystemcRun&) = delete;

  // Ends elaboration and executes the processes at time zero.
  void start();
  // Runs the simulation until no activity is left. In start() and run(), an exception that escapes a process is
  // rethrown unchanged; other SystemC errors become model Errors that name the instance and the simulated time.
  void run();
  const std::vector<std::string>& warnings() const { return warnings_; }
  // `listener` receives each warning immediately.
  void on_warning(std::function<void(const std::string&)> listener) { listener_ = std::move(listener); }

  // Called by the report handler.
  void warn(std::string text);
  void keep_escaped(std::exception_ptr exception);  // keeps the first exception, because SystemC keeps only its text

 private:
  void advance(void (*step)());

  observe::EventLog* log_;
  std::exception_ptr escaped_;
  std::vector<std::string> warnings_;
  std::function<void(const std::string&)> listener_;
};

}  // namespace kb::sim
