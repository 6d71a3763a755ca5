#include "sim/study/why/explain.h"

#include <fmt/format.h>

#include <chrono>
#include <filesystem>
#include <iterator>

#include "platform/base/error.h"
#include "platform/observe/output_file.h"
#include "sim/study/files/files.h"
#include "sim/study/why/report.h"
#include "sim/study/why/simulations.h"

namespace kb::why {
namespace {

std::string why_folder(const Repeat& repeat) {
  return repeat.folder() + "/why";
}

std::string why_file(const Repeat& repeat) {
  return why_folder(repeat) + "/why.json";
}

}  // namespace

void check_threads() {
  std::error_code error;
  const auto threads = std::filesystem::directory_iterator("/proc/self/task", error);
  if (error || std::distance(begin(threads), end(threads)) == 1) return;
  throw Error::configuration(
      "a plug-in started a thread while it was loaded, and a process that why forks does not have it; start it when a "
      "kernel or block needs it");
}

Explanation explain(const Repeat& repeat, const result::Result* result, const ExplainOptions& options) {
  check_threads();
  const auto start = std::chrono::steady_clock::now();
  sim::ProgressLine progress(options.progress);
  Simulations simulations(repeat, options.jobs, [&](std::size_t ran) {
    if (progress.due()) progress.update_text(fmt::format("why: {} runs, {:.0f} s", ran, progress.seconds()));
  });
  Explanation explanation;
  explanation.base = simulations.measure({{Point{}, true}}).front();
  if (result != nullptr) check_repeated(*result, explanation.base, repeat.folder());
  if (!explanation.base.ok) {
    throw Error(ErrorFamily::program, explanation.base.code, "the run fails: " + explanation.base.cause);
  }
  LadderOptions ladder;
  ladder.steps = options.steps;
  const ReliefSource reliefs = [&](const Measure& measure) {
    std::vector<Relief> found = reliefs_of(repeat.machine(), measure.uses);
    if (repeat.supposes_code()) add_code_reliefs(measure.calls, found);
    return found;
  };
  explanation.ladder =
      climb(simulations, explanation.base, reliefs, remedies_of(repeat.params(), repeat.machine()), ladder);
  explanation.ran = simulations.ran();
  explanation.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return explanation;
}

void write_explanation(const Explanation& explanation, const Repeat& repeat) {
  observe::make_folder(why_folder(repeat));
  files::write_file(why_file(repeat), render_json(explanation.ladder, repeat), "the explanation");
}

std::string text_of(const Explanation& explanation, const Repeat& repeat, const ExplainOptions& options) {
  std::string text = render_text(explanation.ladder, repeat, options.steps);
  if (explanation.base.unknown_accesses > 0) {
    text += fmt::format(
        "\n  Note: {} accesses have indices or masks that data mode {} does not know; their times are assumed. For "
        "the\n"
        "  times of the contents run with --data eager.\n",
        explanation.base.unknown_accesses, repeat.inputs().data_mode);
  }
  text += fmt::format("\n  {} points, {} of them run now in {:.1f} s", explanation.ladder.points + 1, explanation.ran,
                      explanation.seconds);
  if (explanation.ladder.failed > 0) {
    text += fmt::format("; {} make no machine or no run and are left out", explanation.ladder.failed);
  }
  return text + "; " + why_file(repeat) + "\n";
}

}  // namespace kb::why
