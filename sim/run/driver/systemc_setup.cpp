#include "sim/run/driver/systemc_setup.h"

#include <cstring>
#include <new>
#include <systemc>
#include <utility>

#include "platform/base/error.h"
#include "platform/observe/event_log.h"

namespace kb::sim {
namespace {

// Common text of SystemC 2.3 and 3.0 when a process's stack cannot be allocated; their message types differ.
constexpr const char* kNoStack = "failed to allocate stack memory";

std::string describe(const sc_core::sc_report& report) {
  // the message already has place and time
  if (std::strcmp(report.get_msg_type(), "kernbench") == 0) return report.get_msg();
  std::string text = report.get_msg_type();
  if (report.get_msg() != nullptr && *report.get_msg() != '\0') text += std::string(": ") + report.get_msg();
  if (report.get_process_name() != nullptr) text += std::string(" (in ") + report.get_process_name() + ")";
  return text + " at " + report.get_time().to_string();
}

SystemcRun* g_run = nullptr;  // SystemC passes its reports to a plain function

void on_report(const sc_core::sc_report& report, const sc_core::sc_actions& actions) {
  if (report.get_severity() == sc_core::SC_INFO) return;
  if (report.get_severity() == sc_core::SC_WARNING) {
    if (actions != sc_core::SC_DO_NOTHING && g_run != nullptr) g_run->warn(describe(report));
    return;
  }
  if (std::strcmp(report.get_msg_type(), sc_core::SC_ID_SIMULATION_UNCAUGHT_EXCEPTION_) == 0 && g_run != nullptr) {
    g_run->keep_escaped(std::current_exception());
  }
  if (report.get_msg() != nullptr && std::strcmp(report.get_msg(), kNoStack) == 0) throw std::bad_alloc();
  if ((actions & sc_core::SC_THROW) != 0) throw report;
  throw Error::model(describe(report));
}

}  // namespace

void prepare_systemc() {
  sc_core::sc_report_handler::set_handler(on_report);
  // A workload that fails before its first request leaves no activity to simulate; its own error explains the failure.
  sc_core::sc_report_handler::set_actions(sc_core::SC_ID_NO_SC_START_ACTIVITY_, sc_core::SC_DO_NOTHING);
  sc_core::sc_set_time_resolution(1, sc_core::SC_FS);
}

SystemcRun::SystemcRun(observe::EventLog* log) : log_(log) {
  g_run = this;
}

SystemcRun::~SystemcRun() {
  g_run = nullptr;
}

void SystemcRun::start() {
  advance([] { sc_core::sc_start(sc_core::SC_ZERO_TIME); });
}

void SystemcRun::run() {
  advance([] { sc_core::sc_start(); });
}

void SystemcRun::advance(void (*step)()) {
  try {
    step();
  } catch (const sc_core::sc_report& report) {
    if (escaped_) std::rethrow_exception(escaped_);
    throw Error::model(describe(report));
  }
}

void SystemcRun::warn(std::string text) {
  if (log_ != nullptr) log_->warn(text);
  if (listener_) listener_(text);
  warnings_.push_back(std::move(text));
}

void SystemcRun::keep_escaped(std::exception_ptr exception) {
  if (!escaped_) escaped_ = std::move(exception);
}

}  // namespace kb::sim
