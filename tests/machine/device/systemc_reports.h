// Collects SystemC reports in tests that expect them.
#pragma once

#include <string>
#include <systemc>
#include <vector>

namespace kb::test {

// Collects warnings and errors during its lifetime; only one object at a time. Errors are thrown, as by default.
class SystemcReports {
 public:
  struct One {
    sc_core::sc_severity severity;
    std::string id, text;
    sc_core::sc_time time;
  };
  SystemcReports() {
    reports().clear();
    sc_core::sc_report_handler::set_handler(keep);
  }
  ~SystemcReports() { sc_core::sc_report_handler::set_handler(sc_core::sc_report_handler::default_handler); }
  SystemcReports(const SystemcReports&) = delete;
  SystemcReports& operator=(const SystemcReports&) = delete;

  const std::vector<One>& all() const { return reports(); }

 private:
  static std::vector<One>& reports() {
    static std::vector<One> kept;
    return kept;
  }
  static void keep(const sc_core::sc_report& report, const sc_core::sc_actions& actions) {
    if (report.get_severity() == sc_core::SC_INFO || actions == sc_core::SC_DO_NOTHING) return;
    reports().push_back({report.get_severity(), report.get_msg_type(),
                         report.get_msg() == nullptr ? "" : report.get_msg(), sc_core::sc_time_stamp()});
    if (report.get_severity() != sc_core::SC_WARNING) throw report;
  }
};

}  // namespace kb::test
