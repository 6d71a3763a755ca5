// Entry point of the tests that elaborate SystemC modules: ctest starts one process per test.
#include <gmock/gmock.h>

#include <systemc>

#include "tests/support/seed.h"

int sc_main(int argc, char** argv) {
  kb::test::fix_property_seed();
  testing::InitGoogleMock(&argc, argv);
  sc_core::sc_set_time_resolution(1, sc_core::SC_FS);
  return RUN_ALL_TESTS();
}
