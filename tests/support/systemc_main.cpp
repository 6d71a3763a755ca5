// Entry point of the tests that elaborate SystemC modules: ctest starts one process per test.
#include <gmock/gmock.h>

#include <systemc>

#include "tests/support/seed.h"

namespace {

// A test that expects a warning installs a handler of its own.
void on_report(const sc_core::sc_report& report, const sc_core::sc_actions& actions) {
  if (report.get_severity() == sc_core::SC_WARNING && actions != sc_core::SC_DO_NOTHING) {
    ADD_FAILURE() << "SystemC warns: " << report.what();
    return;
  }
  sc_core::sc_report_handler::default_handler(report, actions);
}

}  // namespace

int sc_main(int argc, char** argv) {
  kb::test::fix_property_seed();
  sc_core::sc_report_handler::set_handler(on_report);
  testing::InitGoogleMock(&argc, argv);
  sc_core::sc_set_time_resolution(1, sc_core::SC_FS);
  return RUN_ALL_TESTS();
}
