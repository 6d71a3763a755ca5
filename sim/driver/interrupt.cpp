#include "sim/driver/interrupt.h"

#include <unistd.h>

#include <csignal>
#include <cstring>

#include "platform/observe/output_file.h"

namespace kb::sim {
namespace {

constexpr int kInterrupted = 130;

// Only async-signal-safe calls: the signal may arrive inside the allocator or on a kernel's stack.
extern "C" void on_interrupt(int) {
  observe::OutputFile::remove_temporaries();
  constexpr char kText[] = "\nkernbench: interrupted, no result files were written\n";
  const ssize_t written = ::write(STDERR_FILENO, kText, sizeof kText - 1);
  static_cast<void>(written);
  ::_exit(kInterrupted);
}

}  // namespace

void install_interrupt_handlers() {
  struct sigaction action {};
  action.sa_handler = on_interrupt;
  ::sigemptyset(&action.sa_mask);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction current {};
    const bool ignored = ::sigaction(signal, nullptr, &current) == 0 && current.sa_handler == SIG_IGN;
    if (signal == SIGHUP && ignored) continue;  // nohup
    ::sigaction(signal, &action, nullptr);
  }
  std::signal(SIGXFSZ, SIG_IGN);
}

}  // namespace kb::sim
