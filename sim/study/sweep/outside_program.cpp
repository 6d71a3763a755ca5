#include "sim/study/sweep/outside_program.h"

#include <algorithm>

#include "platform/base/printable.h"
#include "sim/study/process/memory_file.h"
#include "sim/study/process/process_pool.h"

namespace kb::sweep {

ProgramOutput run_program(const std::vector<std::string>& command, const std::string& input,
                          const std::function<void()>& tick, std::chrono::milliseconds every) {
  sim::MemoryFile in, out, err;
  in.write(input);
  sim::ProcessJob job{command};
  job.whole_environment = true;
  job.input = in.descriptor();
  job.output = out.descriptor();
  job.messages = err.descriptor();
  sim::ProcessPool pool(1);
  pool.start(job, 0);
  std::optional<sim::ProcessPool::Ended> ended;
  while (!ended) {
    ended = pool.wait_for(every);
    if (!ended && tick) tick();
  }
  return {ended->end.code, out.contents(), err.contents(), ended->end.not_started};
}

std::string ProgramOutput::words() const {
  if (!not_started.empty()) return not_started;
  std::string text = messages.empty() ? output : messages;
  while (!text.empty() && text.back() == '\n') text.pop_back();
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text.empty() ? "it ended with code " + std::to_string(code) : printable_line(text);
}

std::string shell_word(const std::string& text) {
  std::string word = "'";
  for (const char c : text) word += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return word + "'";
}

}  // namespace kb::sweep
