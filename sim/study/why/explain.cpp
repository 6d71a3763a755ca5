#include "sim/study/why/explain.h"

#include <fmt/format.h>

#include <chrono>
#include <filesystem>
#include <iterator>

#include "platform/base/error.h"
#include "platform/observe/output_file.h"
#include "sim/result/tornado.h"
#include "sim/result/why.h"
#include "sim/study/files/files.h"
#include "sim/study/why/report.h"
#include "sim/study/why/simulations.h"
#include "sim/study/why/tornado_report.h"

namespace kb::why {
namespace {

std::string why_folder(const Repeat& repeat) {
  return repeat.folder() + "/why";
}

std::string why_file(const Repeat& repeat) {
  return result::why_file_of(repeat.folder());
}

std::string note_of_runs(std::size_t points, std::size_t ran, double seconds) {
  return fmt::format("\n  {} points, {} of them run now in {:.1f} s", points, ran, seconds);
}

// Runs of one call, with its progress.
class Session {
 public:
  Session(const Repeat& repeat, const ExplainOptions& options)
      : repeat_(repeat),
        progress_(options.progress),
        simulations_(repeat, options.jobs, end_of(options), [this](std::size_t ran) {
          if (progress_.due()) progress_.update_text(fmt::format("why: {} runs, {:.0f} s", ran, progress_.seconds()));
        }) {
    check_threads();
  }

  // The measure of the run itself. Error when it has other times than `result`, and when it fails.
  Measure base(const result::Result* result) {
    const Measure measure = simulations_.measure({{Point{}, true}}).front();
    if (measure.code == kOutOfBudget) {
      throw Error::program(kOutOfBudget,
                           "the budget is spent before the run itself was repeated; give it more seconds");
    }
    if (result != nullptr) check_repeated(*result, measure, repeat_.folder());
    if (!measure.ok) throw Error(ErrorFamily::program, measure.code, "the run fails: " + measure.cause);
    return measure;
  }

  Simulations& simulations() { return simulations_; }
  double seconds() const { return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count(); }

 private:
  using Clock = Simulations::Clock;
  static std::optional<Clock::time_point> end_of(const ExplainOptions& options) {
    if (!options.budget_s) return std::nullopt;
    return Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(*options.budget_s));
  }

  const Repeat& repeat_;
  const std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  sim::ProgressLine progress_;
  Simulations simulations_;
};

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
  Session session(repeat, options);
  Explanation explanation;
  explanation.base = session.base(result);
  LadderOptions ladder;
  ladder.steps = options.steps;
  const ReliefSource reliefs = [&](const Measure& measure) {
    std::vector<Relief> found = reliefs_of(repeat.machine(), measure.uses);
    if (repeat.supposes_code()) add_code_reliefs(measure.calls, found);
    return found;
  };
  explanation.ladder =
      climb(session.simulations(), explanation.base, reliefs, remedies_of(repeat.params(), repeat.machine()), ladder);
  explanation.ran = session.simulations().ran();
  explanation.seconds = session.seconds();
  return explanation;
}

MachineExplanation explain_machine(const Repeat& repeat, const result::Result& result, const ExplainOptions& options) {
  Session session(repeat, options);
  MachineExplanation explanation;
  explanation.tornado = measure_keys(session.simulations(), repeat.machine(), session.base(&result).time);
  explanation.ran = session.simulations().ran();
  explanation.seconds = session.seconds();
  return explanation;
}

void write_explanation(const Explanation& explanation, const Repeat& repeat) {
  observe::make_folder(why_folder(repeat));
  files::write_file(why_file(repeat), render_json(explanation.ladder, repeat), "the explanation");
}

std::string text_of(const Explanation& explanation, const Repeat& repeat, const ExplainOptions& options) {
  std::string text = render_text(explanation.ladder, repeat, options.steps);
  if (explanation.ladder.unknown_accesses > 0) {
    text += fmt::format(
        "\n  Note: {} accesses have indices or masks that data mode {} does not know; their times are assumed. For "
        "the\n"
        "  times of the contents run with --data eager.\n",
        explanation.ladder.unknown_accesses, repeat.inputs().data_mode);
  }
  if (!repeat.supposes_code()) {
    text += fmt::format(
        "\n  Note: the run computed data (--data {}), so that no change of the kernel's code was tried: calls that it "
        "does\n  not wait for, copies of tensors. Run without data for those.\n",
        repeat.inputs().data_mode);
  }
  text += note_of_runs(explanation.ladder.points + 1, explanation.ran, explanation.seconds);
  if (explanation.ladder.failed > 0) {
    text += fmt::format("; {} make no machine or no run and are left out", explanation.ladder.failed);
  }
  return text + "; " + why_file(repeat) + "\n";
}

void write_explanation(const MachineExplanation& explanation, const Repeat& repeat) {
  const std::string folder = why_folder(repeat);
  observe::make_folder(folder);
  files::write_file(result::tornado_file_of(repeat.folder()), render_json(explanation.tornado, repeat),
                    "the explanation");
  files::write_file(folder + "/tornado.csv", render_csv(explanation.tornado), "the explanation");
  const std::string picture = render_svg(explanation.tornado, repeat);
  if (!picture.empty()) files::write_file(folder + "/tornado.svg", picture, "the explanation");
}

std::string text_of(const MachineExplanation& explanation, const Repeat& repeat) {
  return render_text(explanation.tornado, repeat) +
         note_of_runs(explanation.tornado.points + 1, explanation.ran, explanation.seconds) + "; " +
         why_folder(repeat) + "/tornado.json, .csv, .svg\n";
}

}  // namespace kb::why
