#include "tests/robustness/fault_plan.h"

#include "tests/robustness/file_text.h"

namespace kb::robustness {

std::vector<std::string> FaultPlan::environment(const Setup& setup, const std::string& count_file) const {
  std::vector<std::string> words = {"LD_PRELOAD=" + setup.shim};
  if (!count_file.empty()) words.push_back("KB_FAULT_COUNT_FILE=" + count_file);
  if (error_number != 0) words.push_back("KB_FAULT_ERRNO=" + std::to_string(error_number));
  if (signal != 0) words.push_back("KB_FAULT_SIGNAL=" + std::to_string(signal));
  if (sticky) words.push_back("KB_FAULT_STICKY=1");
  words.push_back("KB_FAULT_CALL=" + call);
  words.push_back("KB_FAULT_AT=" + std::to_string(at));
  return words;
}

std::vector<CallCounts> count_calls(const Setup& setup, const std::vector<OutputJob>& jobs) {
  std::vector<CallCounts> all;
  for (const OutputJob& job : jobs) {
    CallCounts counts;
    for (const char* kind : {"all", "open", "write", "close", "rename", "unlink", "mkdir", "fsync"}) {
      counts[kind] = 0;
      if (setup.shim.empty()) continue;
      FaultPlan plan;
      plan.call = kind;
      const std::string file = setup.work + "/calls";
      write_text(file, "0");
      TrialOptions options;
      options.environment = plan.environment(setup, file);
      carry_out(setup, job.attack, setup.work + "/job_" + job.name, options);
      const std::string number = read_text(file);
      counts[kind] = number.empty() ? 0 : std::stoull(number);
    }
    all.push_back(counts);
  }
  return all;
}

}  // namespace kb::robustness
