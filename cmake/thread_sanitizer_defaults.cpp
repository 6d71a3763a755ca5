// Part of every executable of the preset `tsan`: options of ThreadSanitizer, to which TSAN_OPTIONS still adds. A
// process that has threads may fork, because a child of ours only calls exec, or ends without touching what the threads
// share.
extern "C" const char* __tsan_default_options() {
  return "die_after_fork=0:halt_on_error=1";
}
