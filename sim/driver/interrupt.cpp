#include "sim/driver/interrupt.h"

#include <unistd.h>

#include <csignal>
#include <cstring>

#include "platform/observe/output_file.h"

namespace kb::sim {
namespace {

constexpr int kInterrupted = 130;
const char* g_hint = "no result files were written";

// Only async-signal-safe calls: the signal may arrive inside the allocator or on a kernel's stack.
extern "C" void on_interrupt(int) {
  observe::OutputFile::remove_temporaries();
  for (const char* text : {"\nkernbench: interrupted, ", g_hint, "\n"}) {
    const ssize_t written = ::write(STDERR_FILENO, text, std::strlen(text));
    static_cast<void>(written);
  }
  ::_exit(kInterrupted);
}

// The sanitizers report crashes better themselves.
#if !defined(__SANITIZE_ADDRESS__)
constexpr int kCrashed = 3;
constexpr std::size_t kSignalStackBytes = 64 << 10;

// On a stack of its own: the usual cause is a kernel or bench that has used up its stack.
extern "C" void on_crash(int signal) {
  observe::OutputFile::remove_temporaries();
  const char* const text =
      signal == SIGFPE
          ? "\nkernbench: error: the process was ended by an arithmetic error (integer division by zero?) in a "
            "kernel, a bench or the simulator; no result files were written\n"
          : "\nkernbench: error: the process was ended by an invalid memory access; the usual cause is a kernel or "
            "bench "
            "that uses more than its stack (128 KiB, 4 MiB: put large arrays into a std::vector) or a bad pointer "
            "in a plug-in, else it is a defect of the simulator; no result files were written\n";
  const ssize_t written = ::write(STDERR_FILENO, text, std::strlen(text));
  static_cast<void>(written);
  ::_exit(kCrashed);
}

void install_crash_handlers() {
  static char stack[kSignalStackBytes];
  stack_t alternative{};
  alternative.ss_sp = stack;
  alternative.ss_size = sizeof stack;
  if (::sigaltstack(&alternative, nullptr) != 0) return;
  struct sigaction action {};
  action.sa_handler = on_crash;
  action.sa_flags = SA_ONSTACK;
  ::sigemptyset(&action.sa_mask);
  for (const int signal : {SIGSEGV, SIGBUS, SIGFPE}) ::sigaction(signal, &action, nullptr);
}
#else
void install_crash_handlers() {}
#endif

}  // namespace

void set_interrupt_hint(const char* text) {
  g_hint = text;
}

void install_interrupt_handlers() {
  install_crash_handlers();
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
