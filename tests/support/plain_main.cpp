// Entry point of the tests without SystemC.
#include <gmock/gmock.h>

#include "tests/support/seed.h"

int main(int argc, char** argv) {
  kb::test::fix_property_seed();
  testing::InitGoogleMock(&argc, argv);
  return RUN_ALL_TESTS();
}
