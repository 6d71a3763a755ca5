// Part of every executable of the preset `asan`: options of the sanitizers (ASAN_OPTIONS and UBSAN_OPTIONS still add to
// them), and the truth about stacks. SystemC 2.3.4 tells ASan when it switches to a thread, but gives no bounds for the
// main stack and says nothing when a thread ends. An exception thrown then makes ASan leave the marks of frames that
// are gone, and later frames look like errors. So the bounds are corrected before each exception.
#include <dlfcn.h>
#include <pthread.h>

#include <map>
#include <typeinfo>

namespace {

using StartSwitch = void(void**, const void*, std::size_t);
using FinishSwitch = void(void*, const void**, std::size_t*);
using Throw = void(void*, std::type_info*, void (*)(void*));
using NoReturn = void();

template <typename Function>
Function* next(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

std::map<const char*, std::size_t>& stacks() {  // of SystemC's threads, by their lowest address; never destroyed
  static auto* known = new std::map<const char*, std::size_t>;
  return *known;
}

void add_main_stack() {
  pthread_attr_t attributes;
  void* bottom = nullptr;
  std::size_t size = 0;
  if (pthread_getattr_np(pthread_self(), &attributes) != 0) return;
  pthread_attr_getstack(&attributes, &bottom, &size);
  pthread_attr_destroy(&attributes);
  stacks()[static_cast<const char*>(bottom)] = size;
}

// Only once SystemC has switched stacks; before that ASan is right.
void tell_current_stack() {
  const char* here = static_cast<const char*>(__builtin_frame_address(0));
  auto stack = stacks().upper_bound(here);
  if (stack == stacks().begin()) return;
  --stack;
  if (here >= stack->first + stack->second) return;
  static StartSwitch* const start = next<StartSwitch>("__sanitizer_start_switch_fiber");
  static FinishSwitch* const finish = next<FinishSwitch>("__sanitizer_finish_switch_fiber");
  start(nullptr, stack->first, stack->second);
  finish(nullptr, nullptr, nullptr);
}

}  // namespace

extern "C" {

// SystemC passes no place for the fake stack of the thread it leaves, so there must be none. The simulation kernel
// keeps its objects until the process ends, which is not a leak of ours.
const char* __asan_default_options() {
  return "detect_leaks=0:detect_stack_use_after_return=0";
}

const char* __ubsan_default_options() {
  return "print_stacktrace=1:halt_on_error=1";
}

// Called by SystemC.
void __sanitizer_start_switch_fiber(void** fake, const void* bottom, std::size_t size) {
  static StartSwitch* const start = next<StartSwitch>("__sanitizer_start_switch_fiber");
  if (stacks().empty()) add_main_stack();
  if (size != 0) stacks()[static_cast<const char*>(bottom)] = size;
  start(fake, bottom, size);
}

// Exceptions of SystemC itself.
__attribute__((noreturn)) void __cxa_throw(void* object, std::type_info* type, void (*destructor)(void*)) {
  static Throw* const real = next<Throw>("__cxa_throw");
  tell_current_stack();
  real(object, type, destructor);
  __builtin_unreachable();
}

// Before every call that does not return in code that is compiled with ASan.
void __asan_handle_no_return() {
  static NoReturn* const real = next<NoReturn>("__asan_handle_no_return");
  tell_current_stack();
  real();
}

}  // extern "C"
