// What the attacks know of a process that they send a signal to.
#include "tests/robustness/process.h"

#include <gtest/gtest.h>

#include <csignal>

namespace kb::robustness {
namespace {

ProcessEnd interrupted(const std::string& script) {
  ProcessCall call;
  call.words = {"/bin/sh", "-c", script};
  call.folder = "/";
  call.out_file = call.err_file = "/dev/null";
  call.kick = ProcessCall::Kick{SIGINT, 0.3};
  return run_process(call);
}

TEST(Process, ASignalWithoutAHandlerWasNotCaught) {
  const ProcessEnd end = interrupted("exec sleep 20");
  EXPECT_FALSE(end.kick_was_caught);
  EXPECT_EQ(end.signal, SIGINT);
}

TEST(Process, ASignalWithAHandlerWasCaught) {
  const ProcessEnd end = interrupted("trap 'exit 7' INT; while :; do :; done");
  EXPECT_TRUE(end.kick_was_caught);
  EXPECT_EQ(end.code, 7);
}

}  // namespace
}  // namespace kb::robustness
