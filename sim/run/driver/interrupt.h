#pragma once

namespace kb::sim {

// Ctrl-C and termination end the process at once with exit code 130, whatever it is doing, and leave no partial file.
// A write beyond the file size limit, or to a pipe that nobody reads, becomes an ordinary write error. A crash (of a
// plug-in, say) and abort() leave no partial file either, name the kernel or block that was running and the likely
// cause; exit code 3. Where a user's code ends the process, by exit(), abort() or an exception that nobody can catch,
// the exit code is 1.
void install_interrupt_handlers();

// Has something to keep when the process ends before its time: waveforms.
class IKeeper {
 public:
  // Called once at most, possibly in a signal handler, when no block is in the middle of a change. Returns what to say,
  // or "".
  virtual const char* keep() noexcept = 0;
  // Called instead where that is not known: what to say of what has been kept until now, or "". Changes nothing.
  virtual const char* kept() const noexcept = 0;

 protected:
  ~IKeeper() = default;
};

// While there is a keeper, Ctrl-C and termination are left to the simulation, which looks for interrupted() and then
// calls end_interrupted(). Without an end after a few seconds, or at the second Ctrl-C, the process ends at once. A
// crash and the end of the process by a user's code keep, too. Null: none.
void set_keeper(IKeeper* keeper);
bool interrupted();
[[noreturn]] void end_interrupted();

// From here on the process may exit: its work is done.
void allow_exit();

// What the message of an interrupt says about files, instead of whether the result files were written. `text` lives as
// long as the process.
void set_interrupt_hint(const char* text);

// Ends the process without result files, exit code 4; from any thread, whatever the others do.
[[noreturn]] void end_for_host_time(const char* message);

// For standard output that nobody reads: ends the process as other programs end then, unless its caller has SIGPIPE
// ignored.
void end_by_broken_pipe();

}  // namespace kb::sim
