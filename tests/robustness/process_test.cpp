// What the attacks know of a process that they send a signal to.
#include "tests/robustness/process.h"

#include <gtest/gtest.h>

#include <csignal>

namespace kb::robustness {
namespace {

ProcessEnd interrupted(const std::string& script, double patience_s) {
  ProcessCall call;
  call.words = {"/bin/sh", "-c", script};
  call.folder = "/";
  call.out_file = call.err_file = "/dev/null";
  call.kick = ProcessCall::Kick{SIGUSR1, 0.0, patience_s};
  return run_process(call);
}

TEST(Process, AProcessWithoutAHandlerGetsItsSignalInTheEnd) {
  const ProcessEnd end = interrupted("exec sleep 20", 0.3);
  EXPECT_EQ(end.signal, SIGUSR1);
}

TEST(Process, ASignalWaitsForItsHandler) {
  const ProcessEnd end = interrupted("sleep 0.3; trap 'exit 7' USR1; while :; do :; done", 30.0);
  EXPECT_EQ(end.code, 7);
}

}  // namespace
}  // namespace kb::robustness
