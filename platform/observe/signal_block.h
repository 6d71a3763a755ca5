// Defers interrupts during a short critical section.
#pragma once

#include <csignal>

namespace kb::observe {

// During its lifetime, the signals that end the process (SIGINT, SIGTERM, SIGHUP, SIGQUIT, and SIGABRT from outside)
// stay pending.
class SignalBlock {
 public:
  SignalBlock() {
    sigset_t ending;
    ::sigemptyset(&ending);
    for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGABRT}) ::sigaddset(&ending, signal);
    ::pthread_sigmask(SIG_BLOCK, &ending, &before_);
  }
  ~SignalBlock() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  SignalBlock(const SignalBlock&) = delete;
  SignalBlock& operator=(const SignalBlock&) = delete;

 private:
  sigset_t before_{};
};

}  // namespace kb::observe
