// The process-wide settings of SystemC and the one way in which its reports reach the user.
#pragma once

#include <exception>
#include <string>
#include <vector>

namespace kb::observe {
class EventLog;
}

namespace kb::sim {

// Time resolution of 1 fs and the report handler. Once per process, before the first module.
void prepare_systemc();

// Ends elaboration and runs what happens at time zero.
void start_systemc();
// Runs the simulation until nothing is left to do. For both: an exception that escapes a process comes out unchanged;
// other SystemC errors become model Errors that name the instance and the simulated time.
void run_systemc();

// As long as it lives, SystemC's warnings go into the log, too, as they come. Null: there is no log.
class WarningsInLog {
 public:
  explicit WarningsInLog(observe::EventLog* log);
  ~WarningsInLog();
  WarningsInLog(const WarningsInLog&) = delete;
  WarningsInLog& operator=(const WarningsInLog&) = delete;
};

// Texts of SystemC warnings so far.
const std::vector<std::string>& systemc_warnings();

}  // namespace kb::sim
