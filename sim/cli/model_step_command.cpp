#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "platform/address/address_config.h"
#include "platform/model/report.h"
#include "platform/observe/output_set.h"
#include "sim/analysis/convert/perfetto.h"
#include "sim/cli/arguments.h"
#include "sim/cli/file_roles.h"
#include "sim/cli/help.h"
#include "sim/cli/launch_choice.h"
#include "sim/cli/model_choice.h"
#include "sim/cli/model_command.h"
#include "sim/cli/shipped_models.h"
#include "sim/cli/workload_library.h"
#include "sim/run/driver/progress.h"
#include "sim/run/driver/run_description.h"
#include "sim/run/driver/run_files.h"
#include "sim/study/step/launch_key.h"
#include "sim/study/step/step_machine.h"
#include "sim/study/step/step_record.h"
#include "sim/study/step/step_report.h"
#include "sim/study/step/step_sample.h"
#include "sim/study/step/step_times.h"
#include "sw/model/lowering.h"

namespace kb::cli {
namespace {

class ModelStepCommand final : public Command {
 public:
  ModelStepCommand(CLI::App& app, const Program& program) {
    app.footer(kModelStepFooter);
    choice_.add_options(app, program);
    app.add_option("--memo", memo_,
                   "on (default): simulate equal launches once; off: all in one run; check=N: N known again")
        ->type_name("WORD");
    constexpr std::uint64_t kMostLayers = 100'000;
    add_whole_option(app, "--sample", sample_, 2, kMostLayers,
                     "Layers to simulate in one run, without a memo; others take their mean (with banks: 3)")
        ->excludes("--memo");
    app.add_option("--store", store_, "Folder that keeps the times of launches for later steps")->type_name("DIR");
    constexpr std::uint64_t kMostSums = 1'000'000;
    own_sums_ = add_whole_option(app, "--sums", sums_, 0, kMostSums,
                                 "Sums per tensor over SIPs to simulate; others take a near one's; 0: all "
                                 "(default: 2 to 64)");
    constexpr std::uint64_t kMostJobs = 1024;
    add_whole_option(app, "--jobs", jobs_, 1, kMostJobs, "Processes at a time (default: one per core)");
    app.add_option("--out", out_, "Write the JSON to FILE, too")->type_name("FILE");
    app.add_option("--record", record_,
                   "Run a layer's launches again, on one SIP, and write them as 'kernbench run --record' does")
        ->type_name("DIR");
    layer_option_ = add_whole_option(app, "--layer", layer_, 0, kMostLayers,
                                     "With --record: the layer (default: 1, or 0 of a single one)");
    app.add_option("--perfetto", perfetto_, "With --record: also as a trace of Perfetto, packed if FILE ends in .gz")
        ->type_name("FILE");
    app.add_flag("--launches", launches_, "Print the launches of the step, and simulate nothing");
    app.add_flag("--json", json_, "Print as JSON");
  }

  int run() override {
    read_memo();
    if (record_.empty() && layer_option_->count() > 0) throw usage_error("--layer is of a record; add --record DIR");
    if (record_.empty() && !perfetto_.empty()) throw usage_error("--perfetto is made of a record; add --record DIR");
    const model::ReportChoice choice = choice_.read();
    if (choice.plan.ep > 1) throw usage_error("--ep: models with experts cannot be simulated yet");
    const WorkloadLibrary library(choice_.plugins);
    const auto load = [&](const std::vector<std::pair<std::string, std::string>>& changes) {
      TopologyChoice machine = choice_.machine;
      for (const auto& [key, value] : changes) machine.sets.push_back(fmt::format("{}={}", key, value));
      return machine.load(library.blocks().implementations());
    };
    model::LoadedModel loaded = model::load_model(model_file(choice_.model));
    print_warnings(loaded.warnings);
    const topology::LoadedTopology given = load({});
    const model::ModelReport report = model::make_report(std::move(loaded.spec), choice, given.graph.spec, given.file);
    print_warnings(model::report_notes(report));
    if (const std::optional<Error> problem = model::fit_problem(report)) throw Error(*problem);
    const model::ArenaGeometry geometry = model::arena_geometry(given.graph.spec);
    const sw::Program program =
        sw::lower({report.spec, report.stages.front(), report.plan, report.batch, geometry,
                   address::AddressConfig::from_spec(given.graph.spec).tcm_allocatable_bytes() / 8});
    if (launches_) {
      print_text(sw::program_text(program));
      return 0;
    }
    return simulate(library, load, report, program);
  }

 private:
  step::SampledTimes times_of(const step::StepRun& run, const std::string& model) const {
    if (sample_ > 0) return step::simulate_sample(run, sample_);
    if (memo_ == "off") return {step::simulate_whole_step(run), {}};
    hint_at_store(store_);
    step::Memo memo(store_, step::subject_of(run.machines.all.file, model));
    return {step::compose_step(run, memo), {}};
  }

  static std::string sampled_text(const step::Sample& sample, const std::optional<std::string>& history) {
    return fmt::format("{} of {} layers take the mean of the others{}", sample.of_layers - sample.layers,
                       sample.of_layers, history ? "; no time is used twice: " + *history : "");
  }

  static std::string likened_text(const step::StepTimes& times) {
    return fmt::format(
        "{} sums over SIPs take the times of one whose SIPs began up to {} ns otherwise (--sums 0 "
        "simulates all)",
        times.likened, format_ns(times.unlike));
  }

  void read_memo() {
    const std::string_view check = "check=";
    if (memo_.empty() || memo_ == "on" || memo_ == "off") return;
    const std::string number = memo_.rfind(check, 0) == 0 ? memo_.substr(check.size()) : "";
    const auto [end, code] = std::from_chars(number.data(), number.data() + number.size(), check_);
    if (number.empty() || code != std::errc() || end != number.data() + number.size() || check_ == 0) {
      throw usage_error(fmt::format("--memo '{}': write on, off, or check=N with a whole number from 1", memo_));
    }
  }

  void check_files() const {
    FileRoles roles;
    roles.writes("--out", out_);
    if (!record_.empty()) {
      for (const std::string& file :
           {sim::result_file(record_), sim::machine_file(record_), sim::operations_file(record_)}) {
        roles.writes("--record", file);
      }
    }
    roles.writes("--perfetto", perfetto_);
    roles.check();
  }

  void add_approximations(const step::SampledTimes& found, const std::optional<std::string>& history,
                          step::StepReport& result) const {
    result.composed = sample_ == 0 && memo_ != "off";
    if (found.sample.layers < found.sample.of_layers) {
      result.sample = found.sample;
      result.approximations.push_back(sampled_text(found.sample, history));
    }
    if (found.times.likened > 0) result.approximations.push_back(likened_text(found.times));
    if (result.composed && history) {
      result.approximations.push_back("every launch is simulated from a quiet machine; " + *history);
    }
  }

  int simulate(const WorkloadLibrary& library, const step::LoadMachine& load, const model::ModelReport& report,
               const sw::Program& program) {
    check_files();
    observe::OutputSet outputs;
    observe::OutputFile* const output = out_.empty() ? nullptr : &outputs.add(out_, "the step");
    const step::StepMachines machines = step::step_machines(load, report.plan.tp);
    const step::LaunchKeys keys(program, machines.one, machines.all, step::program_identity(choice_.plugins));
    std::optional<sim::ProgressLine> line(std::in_place, json_ ? sim::Progress::on_request : sim::Progress::automatic);
    const step::StepRun run{program,
                            machines,
                            keys,
                            {&library.kernels(), &library.blocks(), &library.all_reduces()},
                            static_cast<int>(jobs_),
                            check_,
                            own_sums_->count() > 0 ? std::optional<std::size_t>(sums_) : std::nullopt,
                            [&](std::size_t launches) {
                              if (line) line->news(fmt::format("{} launches simulated", launches));
                            },
                            json_ ? sim::Progress::off : sim::Progress::automatic};
    std::optional<step::LayerRecord> record;
    std::optional<observe::OutputFile> trace;  // made of the record
    if (!record_.empty()) record.emplace(run, record_choice(program, report.spec.name()));
    if (!perfetto_.empty()) trace.emplace(perfetto_, "the trace");
    line->stage("simulating launches");
    const std::optional<std::string> history = step::hidden_state(machines.one);
    if (history && memo_.empty() && sample_ == 0) sample_ = step::kSampledLayers;
    const bool in_one_run = sample_ > 0 || memo_ == "off";
    if (in_one_run && !json_) line.reset();  // the process of the run has its own
    const step::SampledTimes found = times_of(run, report.spec.name());
    line.reset();
    step::StepReport result = step::make_step_report(report, program, found.times);
    if (const auto& energy = machines.all.graph.spec.energy) step::add_energy(*energy, result);
    for (const auto& [key, value] : machines.all.config) result.config.emplace(key, value.value);
    add_approximations(found, history, result);
    const std::string json = step::render_step_json(result);
    if (output != nullptr) output->write(json);
    outputs.commit();
    if (json_) {
      print(json);
    } else {
      print_text(step::render_step(result) + (out_.empty() ? "" : fmt::format(kWritten, out_)));
    }
    if (record) {
      record->write();
      if (trace) convert::write_perfetto_file(analysis::RunFolder(record_), {}, *trace);
      if (!json_) print_text(fmt::format("Record of layer {} on one SIP: {}\n", layer(program), record_));
    }
    return 0;
  }

  std::int64_t layer(const sw::Program& program) const {
    if (layer_option_->count() > 0) return static_cast<std::int64_t>(layer_);
    const auto is_second = [](const sw::ProgramLaunch& launch) { return launch.layer == 1; };
    return std::any_of(program.launches.begin(), program.launches.end(), is_second) ? 1 : 0;
  }

  step::RecordChoice record_choice(const sw::Program& program, const std::string& model) const {
    const BuiltinTopology& builtin = choice_.machine.program->topology;
    return {record_, layer(program), model, sim::config_of(topology::load_text(builtin.text, builtin.name)),
            choice_.plugins};
  }

  ModelChoice choice_;
  static constexpr const char* kWritten =
      "Step in {0}: 'kernbench web {0}' shows it, 'kernbench compare {0} OTHER' compares it with another\n";

  std::string memo_, store_, out_, record_, perfetto_;
  std::uint64_t jobs_ = 0, sums_ = 0, sample_ = 0, layer_ = 0;
  CLI::Option* layer_option_ = nullptr;
  CLI::Option* own_sums_ = nullptr;
  std::size_t check_ = 0;
  bool launches_ = false, json_ = false;
};

}  // namespace

std::unique_ptr<Command> make_model_step_command(CLI::App& app, const Program& program) {
  return std::make_unique<ModelStepCommand>(app, program);
}

}  // namespace kb::cli
