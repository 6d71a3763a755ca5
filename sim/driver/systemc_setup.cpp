#include "sim/driver/systemc_setup.h"

#include <cstring>
#include <systemc>

#include "platform/base/error.h"
#include "platform/observe/event_log.h"

namespace kb::sim {
namespace {

std::exception_ptr g_escaped;  // from a process; SystemC itself keeps only its text
std::vector<std::string> g_warnings;
observe::EventLog* g_warning_log = nullptr;

std::string describe(const sc_core::sc_report& report) {
  std::string text = report.get_msg_type();
  if (report.get_msg() != nullptr && *report.get_msg() != '\0') text += std::string(": ") + report.get_msg();
  if (report.get_process_name() != nullptr) text += std::string(" (in ") + report.get_process_name() + ")";
  return text + " at " + report.get_time().to_string();
}

void on_report(const sc_core::sc_report& report, const sc_core::sc_actions& actions) {
  switch (report.get_severity()) {
    case sc_core::SC_INFO:
      return;
    case sc_core::SC_WARNING:
      if (actions == sc_core::SC_DO_NOTHING) return;
      g_warnings.push_back(describe(report));
      if (g_warning_log != nullptr) g_warning_log->warn(g_warnings.back());
      return;
    default:
      break;
  }
  if (std::strcmp(report.get_msg_type(), sc_core::SC_ID_SIMULATION_UNCAUGHT_EXCEPTION_) == 0 && !g_escaped) {
    g_escaped = std::current_exception();
  }
  if (std::strcmp(report.get_msg_type(), sc_core::SC_ID_STACK_SETUP_FAILED_) == 0) throw std::bad_alloc();
  if ((actions & sc_core::SC_THROW) != 0) throw report;
  throw Error::model(describe(report));
}

template <typename Body>
void guarded(Body body) {
  try {
    body();
  } catch (const sc_core::sc_report& report) {
    if (g_escaped) std::rethrow_exception(g_escaped);
    throw Error::model(describe(report));
  }
}

}  // namespace

void prepare_systemc() {
  sc_core::sc_report_handler::set_handler(on_report);
  // A workload that fails before its first request leaves nothing to simulate; its own error says so.
  sc_core::sc_report_handler::set_actions(sc_core::SC_ID_NO_SC_START_ACTIVITY_, sc_core::SC_DO_NOTHING);
  sc_core::sc_set_time_resolution(1, sc_core::SC_FS);
}

void start_systemc() {
  guarded([] { sc_core::sc_start(sc_core::SC_ZERO_TIME); });
}

void run_systemc() {
  guarded([] { sc_core::sc_start(); });
}

WarningsInLog::WarningsInLog(observe::EventLog* log) {
  g_warning_log = log;
}

WarningsInLog::~WarningsInLog() {
  g_warning_log = nullptr;
}

const std::vector<std::string>& systemc_warnings() {
  return g_warnings;
}

}  // namespace kb::sim
