#include "sim/driver/interrupt.h"

#include <unistd.h>

#include <csignal>
#include <cstring>

#include "platform/observe/output_file.h"
#include "platform/observe/temporary_file.h"

namespace kb::sim {
namespace {

constexpr int kInterrupted = 130;
const char* g_hint = nullptr;

// Only async-signal-safe calls below: the signal may arrive inside the allocator or on a kernel's stack.
void tell(const char* text) {
  const ssize_t written = ::write(STDERR_FILENO, text, std::strlen(text));
  static_cast<void>(written);
}

const char* state_of_results() {
  return observe::results_committed() ? "all result files were written" : "no result files were written";
}

extern "C" void on_interrupt(int) {
  observe::TemporaryFile::remove_all();
  for (const char* text : {"\nkernbench: interrupted, ", g_hint != nullptr ? g_hint : state_of_results(), "\n"}) {
    tell(text);
  }
  ::_exit(kInterrupted);
}

// Ends the process as it would have ended, by the signal.
extern "C" void on_abort(int signal) {
  observe::TemporaryFile::remove_all();
  std::signal(signal, SIG_DFL);
  ::raise(signal);
}

extern "C" void on_broken_pipe(int) {}  // the write reports it

// The sanitizers report crashes better themselves.
#if !defined(__SANITIZE_ADDRESS__)
constexpr int kCrashed = 3;
constexpr std::size_t kSignalStackBytes = 64 << 10;

// On a stack of its own: the usual cause is a kernel or bench that has used up its stack.
extern "C" void on_crash(int signal) {
  observe::TemporaryFile::remove_all();
  tell(signal == SIGFPE
           ? "\nkernbench: error: the process was ended by an arithmetic error (integer division by zero?) in a "
             "kernel, a bench or the simulator; "
           : "\nkernbench: error: the process was ended by an invalid memory access; the usual cause is a kernel or "
             "bench that uses more than its stack (128 KiB, 4 MiB: put large arrays into a std::vector) or a bad "
             "pointer in a plug-in, else it is a defect of the simulator; ");
  tell(state_of_results());
  tell("\n");
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
  action.sa_handler = on_abort;
  for (const int signal : {SIGABRT, SIGILL}) ::sigaction(signal, &action, nullptr);
}
#else
void install_crash_handlers() {}
#endif

bool ignored(int signal) {
  struct sigaction current {};
  return ::sigaction(signal, nullptr, &current) == 0 && current.sa_handler == SIG_IGN;
}

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
    if (signal == SIGHUP && ignored(signal)) continue;  // nohup
    ::sigaction(signal, &action, nullptr);
  }
  action.sa_handler = on_abort;
  for (const int signal : {SIGQUIT, SIGXCPU}) ::sigaction(signal, &action, nullptr);
  action.sa_handler = on_broken_pipe;
  if (!ignored(SIGPIPE)) ::sigaction(SIGPIPE, &action, nullptr);
  std::signal(SIGXFSZ, SIG_IGN);
}

void end_by_broken_pipe() {
  if (ignored(SIGPIPE)) return;
  std::signal(SIGPIPE, SIG_DFL);
  ::raise(SIGPIPE);
}

}  // namespace kb::sim
