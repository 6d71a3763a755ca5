#pragma once

namespace kb::sim {

// Ctrl-C and termination end the process immediately with exit code 130, without partial files. A write beyond the file
// size limit or to a closed pipe becomes an ordinary write error. A crash (for example of a plug-in) and abort() also
// leave no partial files; the message names the running kernel or block and the likely cause, with exit code 3. When
// user code ends the process, by exit() or an uncaught exception, the exit code is 1.
void install_interrupt_handlers();

// Owner of data that is saved when the process ends early: waveforms.
class ICrashSaver {
 public:
  // Saves the data. Called at most once, possibly in a signal handler, when no block is in the middle of a change.
  // Returns a message, or "".
  virtual const char* keep() noexcept = 0;
  // Called instead of keep() when a block may be in the middle of a change: returns a message about the data saved so
  // far, or "". Changes nothing.
  virtual const char* kept() const noexcept = 0;

 protected:
  ~ICrashSaver() = default;
};

// While a keeper is set, the simulation handles Ctrl-C and termination: it polls interrupted() and then calls
// end_interrupted(). If it does not end within a few seconds, or at the second Ctrl-C, the process ends immediately. A
// crash and the end of the process by user code call the keeper as well. Null removes the keeper.
void set_keeper(ICrashSaver* keeper);
bool interrupted();
[[noreturn]] void end_interrupted();

// Allows exit(), because the work of the process is done.
void allow_exit();

// Replaces the text on result files in the message of an interrupt. `text` must have static lifetime.
void set_interrupt_hint(const char* text);

// Ends the process without result files, with exit code 4; may be called from any thread at any time.
[[noreturn]] void end_for_host_time(const char* message);

// Ends the process like other programs when nobody reads standard output, unless the parent process ignores SIGPIPE.
void exit_on_broken_pipe();

}  // namespace kb::sim
