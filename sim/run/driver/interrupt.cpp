#include "sim/run/driver/interrupt.h"

#include <pthread.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <initializer_list>
#include <new>
#include <string>

#include "platform/base/printable.h"
#include "platform/elab/event_scheduler.h"
#include "platform/observe/output_file.h"
#include "platform/observe/temporary_file.h"

namespace kb::sim {
namespace {

constexpr int kInterrupted = 130;
constexpr int kProgramFault = 1;
constexpr int kConfigurationFault = 2;
constexpr int kCrashed = 3, kNoProgress = 4;
// State of signal handlers and exit handlers.
const char* g_hint = nullptr;
std::atomic<bool> g_exit_allowed{false};
pthread_t g_simulation;  // the thread that installs the handlers
std::atomic<ICrashSaver*> g_keeper{nullptr};
std::atomic<bool> g_interrupted{false};
constexpr unsigned kPatience = 3;  // seconds for the simulation to react to an interrupt, or for saving after a crash

// The functions below are async-signal-safe: the signal may arrive inside the allocator or on a kernel's stack.
void write_texts(std::initializer_list<const char*> texts) {
  for (const char* text : texts) {
    const ssize_t written = ::write(STDERR_FILENO, text, std::strlen(text));
    static_cast<void>(written);
  }
}

const char* state_of_results() {
  if (g_hint != nullptr) return g_hint;
  return observe::results_committed() ? "all result files were written" : "no result files were written";
}

bool in_simulation() {
  return ::pthread_equal(::pthread_self(), g_simulation) != 0;
}

bool in_user_code() {
  return in_simulation() && elab::EventScheduler::foreground().view().code != elab::UserCode::none;
}

const char* keep() {
  if (!in_simulation()) return "";
  ICrashSaver* const keeper = g_keeper.exchange(nullptr);
  return keeper == nullptr ? "" : keeper->keep();
}

// When user code crashes, all blocks are in a consistent state. If the crash is in memory that the keeper needs,
// another crash or the alarm ends the process.
const char* keep_in_crash() {
  if (!in_simulation()) return "";
  if (in_user_code()) return keep();
  const ICrashSaver* const keeper = g_keeper.exchange(nullptr);
  return keeper == nullptr ? "" : keeper->kept();
}

[[noreturn]] void end_by_interrupt(const char* kept) {
  observe::TemporaryFile::remove_all();
  write_texts({"\nkernbench: interrupted, ", state_of_results(), kept, "\n"});
  ::_exit(kInterrupted);
}

// The simulation ends by itself, unless it is executing user code that does not return.
extern "C" void on_interrupt(int) {
  if (g_keeper.load() == nullptr || g_interrupted.exchange(true)) end_by_interrupt("");
  ::alarm(kPatience);
  if (in_user_code()) end_by_interrupt(keep());
}

// Ends the process by the signal, as without a handler.
extern "C" void on_fatal(int signal) {
  observe::TemporaryFile::remove_all();
  std::signal(signal, SIG_DFL);
  ::raise(signal);
}

extern "C" void on_broken_pipe(int) {}  // the write call reports the error

// The user code that the process was executing, for the error message. Only for the simulation's thread.
struct Place {
  Place() {
    if (!in_simulation()) return;
    describe(elab::EventScheduler::foreground().view(), text, sizeof text);
  }
  const char* before() const { return *text == '\0' ? "" : ", "; }

  char text[256] = "";
};

// Called when a kernel, a workload or a plug-in ends the process, which would otherwise look like success without a
// result.
[[noreturn]] void end_by_program(const char* what) {
  const Place place;
  const char* const kept = keep();
  observe::TemporaryFile::remove_all();
  write_texts({"\nkernbench: error: ", what, place.before(), place.text, "; ", state_of_results(), kept, "\n"});
  ::_exit(kProgramFault);
}

extern "C" void on_exit_call() {
  if (g_exit_allowed) return;
  std::fflush(stdout);
  end_by_program("a kernel, a workload or a plug-in called exit(); return from it instead, or throw an exception");
}

// Must not allocate memory.
[[noreturn]] void end_for_memory() {
  observe::TemporaryFile::remove_all();
  write_texts(
      {"\nkernbench: error: there is not enough memory to start, or for a thread; free some, or raise the limit "
       "(ulimit -v); no result files were written\n"});
  ::_exit(kConfigurationFault);
}

// An uncaught exception in a thread of a plug-in, or in a destructor.
void on_terminate() {
  const std::exception_ptr thrown = std::current_exception();
  if (!thrown) end_by_program("std::terminate was called in a kernel, a workload or a plug-in");
  std::string text = "an exception that is not a std::exception was not caught in a thread or destructor of a plug-in";
  try {
    std::rethrow_exception(thrown);
  } catch (const std::bad_alloc&) {
    end_for_memory();
  } catch (const std::exception& error) {
    text = std::string("an exception was not caught in a thread or destructor of a plug-in: ") + error.what();
  } catch (...) {
  }
  end_by_program(printable_line(text).c_str());
}

void install_exit_handlers() {
  std::atexit(on_exit_call);
  std::at_quick_exit(on_exit_call);
  std::set_terminate(on_terminate);
}

const char* cause_of(int signal) {
  switch (signal) {
    case SIGABRT:
      return "abort() was called, or an assertion failed";
    case SIGFPE:
      return "an arithmetic error (integer division by zero?)";
    case SIGILL:
      return "an illegal instruction";
    default:
      return "an invalid memory access";
  }
}

std::atomic<int> g_crash{0};  // the first signal

[[noreturn]] void end_by_crash(const char* kept) {
  const int signal = g_crash;
  const Place place;
  observe::TemporaryFile::remove_all();
  write_texts({"\nkernbench: error: the process crashed", place.before(), place.text, ": ", cause_of(signal)});
  if (signal == SIGSEGV || signal == SIGBUS) {
    write_texts(
        {"; the usual cause is a kernel or workload that uses more than its stack (128 KiB, 4 MiB: put large arrays "
         "into a std::vector) or a bad pointer in a plug-in"});
  }
  write_texts({"; ", *place.text == '\0' ? "without a plug-in it is a defect of the simulator; " : "",
               state_of_results(), kept, "\n"});
  ::_exit(kCrashed);
}

extern "C" void on_crash(int signal) {
  int none = 0;
  if (!g_crash.compare_exchange_strong(none, signal)) end_by_crash("");  // a crash while saving
  ::alarm(kPatience);
  end_by_crash(keep_in_crash());
}

extern "C" void on_alarm(int) {
  if (g_crash != 0) end_by_crash("");
  end_by_interrupt("");
}

// Uses a separate stack, because the usual cause is a stack overflow in a kernel or workload. The sanitizers have
// better crash reports.
void install_crash_handlers() {
  struct sigaction action {};
  action.sa_handler = on_crash;
  ::sigemptyset(&action.sa_mask);
  action.sa_flags = SA_NODEFER;
  ::sigaction(SIGABRT, &action, nullptr);
#if !defined(__SANITIZE_ADDRESS__)
  constexpr std::size_t kSignalStackBytes = 256 << 10;
  static char stack[kSignalStackBytes];
  stack_t alternative{};
  alternative.ss_sp = stack;
  alternative.ss_size = sizeof stack;
  if (::sigaltstack(&alternative, nullptr) != 0) return;
  action.sa_flags = SA_ONSTACK | SA_NODEFER;
  for (const int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT}) ::sigaction(signal, &action, nullptr);
#endif
}

bool ignored(int signal) {
  struct sigaction current {};
  return ::sigaction(signal, nullptr, &current) == 0 && current.sa_handler == SIG_IGN;
}

}  // namespace

void set_keeper(ICrashSaver* keeper) {
  g_keeper = keeper;
}

bool interrupted() {
  return g_interrupted.load(std::memory_order_relaxed);
}

void end_interrupted() {
  end_by_interrupt(keep());
}

void set_interrupt_hint(const char* text) {
  g_hint = text;
}

void allow_exit() {
  g_exit_allowed = true;
}

void install_interrupt_handlers() {
  g_simulation = ::pthread_self();
  install_crash_handlers();
  install_exit_handlers();
  struct sigaction action {};
  action.sa_handler = on_interrupt;
  ::sigemptyset(&action.sa_mask);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    if (signal == SIGHUP && ignored(signal)) continue;  // started by nohup
    ::sigaction(signal, &action, nullptr);
  }
  action.sa_handler = on_alarm;
  ::sigaction(SIGALRM, &action, nullptr);
  action.sa_handler = on_fatal;
  for (const int signal : {SIGQUIT, SIGXCPU}) ::sigaction(signal, &action, nullptr);
  action.sa_handler = on_broken_pipe;
  if (!ignored(SIGPIPE)) ::sigaction(SIGPIPE, &action, nullptr);
  std::signal(SIGXFSZ, SIG_IGN);
  std::signal(SIGUSR1, SIG_IGN);  // ignored, except while progress output handles it
}

void end_for_host_time(const char* message) {
  observe::TemporaryFile::remove_all();
  write_texts({"\nkernbench: error: ", message, "; ", state_of_results(), "\n"});
  ::_exit(kNoProgress);
}

void exit_on_broken_pipe() {
  if (ignored(SIGPIPE)) return;
  std::signal(SIGPIPE, SIG_DFL);
  ::raise(SIGPIPE);
}

}  // namespace kb::sim
