#include "sim/study/process/isolate.h"

#include <cstdio>
#include <new>

#include "platform/base/error.h"
#include "sim/study/process/memory_file.h"
#include "sim/study/process/process_pool.h"

namespace kb::sim {
namespace {

// First byte of the answer: 'R' for a result, or 'E' for an error with family, code and message separated by zeros.
std::string answer_of(const std::function<std::string()>& job) {
  std::string answer;
  const auto failed = [&answer](const Error& error) {
    answer = 'E' + std::to_string(static_cast<int>(error.family())) + '\0' + error.code() + '\0' + error.what();
  };
  try {
    answer = 'R' + job();
  } catch (const Error& error) {
    failed(error);
  } catch (const std::bad_alloc&) {
    failed(
        Error::configuration("there is not enough memory for building and simulating the machine in a process of "
                             "its own; use a smaller one, or raise the limit (ulimit -v)"));
  } catch (const std::exception& error) {
    failed(Error::model(error.what()));
  }
  return answer;
}

std::string take_answer(const std::string& text, const ProcessEnd& end) {
  if (text.empty()) {
    const std::string how = end.signal != 0 ? "was killed by signal " + std::to_string(end.signal)
                                            : "ended with code " + std::to_string(end.code);
    throw Error::model("a simulation process " + how + " without a result");
  }
  if (text[0] == 'R') return text.substr(1);
  const std::size_t code = text.find('\0');
  const std::size_t message = text.find('\0', code + 1);
  const auto family = static_cast<ErrorFamily>(std::stoi(text.substr(1, code - 1)));
  throw Error(family, text.substr(code + 1, message - code - 1), text.substr(message + 1));
}

}  // namespace

std::vector<std::string> run_isolated(const std::vector<std::function<std::string()>>& jobs, const IsolatedRun& run) {
  std::vector<MemoryFile> files(jobs.size());
  std::vector<ProcessJob> processes(jobs.size());
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    processes[i].call = [&job = jobs[i], &file = files[i]] {
      file.write(answer_of(job));
      std::fflush(nullptr);
    };
  }
  std::size_t answered = 0;
  const std::vector<ProcessEnd> ends = run_processes(processes, run.at_once, [&](std::size_t job, const ProcessEnd&) {
    if (run.on_answer) run.on_answer(++answered);
    const std::string answer = run.on_result ? files[job].contents() : "";
    if (!answer.empty() && answer[0] == 'R') run.on_result(job, answer.substr(1));
  });
  std::vector<std::string> answers;
  for (std::size_t i = 0; i < jobs.size(); ++i) answers.push_back(take_answer(files[i].contents(), ends[i]));
  return answers;
}

}  // namespace kb::sim
