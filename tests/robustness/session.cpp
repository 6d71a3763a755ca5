#include "tests/robustness/session.h"

#include <atomic>
#include <exception>
#include <filesystem>
#include <mutex>
#include <thread>
#include <vector>

#include "tests/robustness/input_attack.h"

namespace kb::robustness {

void Session::for_each(const std::string& family, std::uint64_t count, const Body& body) const {
  if (only) {
    body(*only, setup.work + "/" + family + "/case");
    return;
  }
  std::atomic<std::uint64_t> next{0}, done{0};
  std::exception_ptr failure;
  std::mutex mutex;
  const auto work = [&](std::size_t worker) {
    const std::string folder = setup.work + "/" + family + std::to_string(worker) + "/case";
    try {
      for (std::uint64_t index = next++; index < count; index = next++) {
        body(first + index, folder);
        report->progress(family, ++done, count);
      }
    } catch (...) {
      const std::lock_guard<std::mutex> lock(mutex);
      if (!failure) failure = std::current_exception();
      next = count;
    }
  };
  std::vector<std::thread> workers;
  for (std::size_t i = 0; i < jobs; ++i) workers.emplace_back(work, i);
  for (std::thread& worker : workers) worker.join();
  if (failure) std::rethrow_exception(failure);
}

void attack_inputs(const Session& session, std::uint64_t count) {
  session.for_each("inputs", count, [&](std::uint64_t index, const std::string& folder) {
    const AttackCase attack = input_case(session.seeds, session.seed, index);
    const Trial trial = carry_out(session.setup, attack, folder);
    session.report->add(session.id("inputs", index), attack, trial, judge(attack, trial, session.setup));
  });
}

void attack_corpus(const Session& session, const std::string& folder, const std::string& only) {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    if (only.empty() || name == only) names.push_back(name);
  }
  if (names.empty()) throw std::runtime_error("the corpus has no case '" + only + "' in " + folder);
  session.for_each("corpus", names.size(), [&](std::uint64_t index, const std::string& work) {
    const AttackCase attack = read_case(folder + "/" + names[index - session.first]);
    if (!attack.skip.empty()) return session.report->skip("corpus " + names[index - session.first], attack.skip);
    const Trial trial = carry_out(session.setup, attack, work);
    session.report->add("corpus-" + names[index - session.first], attack, trial, judge(attack, trial, session.setup));
  });
}

}  // namespace kb::robustness
