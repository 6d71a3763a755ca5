#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <iterator>
#include <optional>

#include "platform/base/nearest.h"
#include "platform/base/printable.h"
#include "platform/observe/output_set.h"
#include "sim/cli/arguments.h"
#include "sim/cli/file_roles.h"
#include "sim/cli/help.h"
#include "sim/cli/launch_choice.h"
#include "sim/cli/model_command.h"
#include "sim/cli/profile_choice.h"
#include "sim/result/serving_document.h"
#include "sim/run/driver/progress.h"
#include "sim/study/requests/figures.h"
#include "sim/study/requests/request_checks.h"
#include "sim/study/requests/request_file.h"
#include "sim/study/requests/result_files.h"
#include "sim/study/requests/step_samples.h"
#include "sim/study/requests/summary.h"
#include "sw/profile/profile_source.h"

namespace kb::cli {
namespace {

const std::vector<std::string> kArrivalWords = {"trace", "poisson", "even"};

class ModelRequestsCommand final : public Command {
 public:
  ModelRequestsCommand(CLI::App& app, const Program& program) {
    app.footer(kModelRequestsFooter);
    app.add_option("TRACE", trace_file_,
                   "Requests: LLMServingSim, Azure, Vidur or splitwise-sim; packed by gzip or not")
        ->required();
    choice_.add_options(app, false);
    launches_.add_options(app, program);
    app.get_option("--topology")
        ->description("In place of a profile: simulate this machine, a topology file or the name of a shipped one");
    constexpr std::uint64_t kMostChecked = 100'000;
    check_option_ = add_whole_option(app, "--check", check_, 1, kMostChecked,
                                     "With --topology: simulate every launch of N steps, and compare")
                        ->type_name("N");
    add_policy_options(app);
    add_trace_options(app);
    app.add_option("--out", out_, "Folder for requests.csv, timeline.csv and summary.json, or for rates.csv")
        ->type_name("DIR");
    app.add_flag("--plot", plot_, "Draw the timeline or the knee into the folder of --out, as SVG and PNG");
    app.add_flag("--json", json_, "Print the summary as JSON");
    app.add_flag("--quiet", quiet_, "Print errors only");
  }

  int run() override {
    check_options();
    sim::ProgressLine line(quiet_ ? sim::Progress::on_request : sim::Progress::automatic);
    line.stage("reading profile and trace");
    load_times();
    if (blocks_ == 0) find_blocks();
    requests::RequestTrace trace = within_memory("reading the trace", [&] {
      return requests::read_requests(trace_file_, {limits_.block_size, vidur_most(), seed_});
    });
    if (!times_file_.empty()) requests::read_arrival_times(times_file_, trace);
    prepare(trace);
    line.stage(nullptr);
    open_source(trace, line);
    return rates_.empty() ? run_once(trace, line) : run_rates(trace, line);
  }

 private:
  void add_policy_options(CLI::App& app) {
    constexpr std::uint64_t kMostBlocks = 100'000'000, kMostTokens = 1'000'000'000, kMostSeqs = 1'000'000,
                            kMostBlockSize = 65536;
    add_whole_option(app, "--blocks", blocks_, 1, kMostBlocks,
                     "Blocks of keys and values (default: what the machine or the cluster has room for)");
    add_whole_option(app, "--block-size", block_size_, 1, kMostBlockSize, "Tokens of a block (default: 16)");
    add_whole_option(app, "--max-seqs", max_seqs_, 1, kMostSeqs, "Most requests of a step (default: 256)");
    add_whole_option(app, "--max-tokens", max_tokens_, 1, kMostTokens, "Most new tokens of a step (default: 2048)");
    app.add_flag("--prefix-cache", limits_.prefix_cache, "Use blocks again whose text is the same");
  }

  void add_trace_options(CLI::App& app) {
    constexpr double kMostRate = 1e6, kLeastRate = 1e-6;
    constexpr std::uint64_t kMostSeed = 1'000'000'000'000'000'000, kMostTokens = 1'000'000'000;
    rate_option_ = add_real_option(app, "--rate", rate_, kLeastRate, kMostRate,
                                   "Requests per second, in place of the trace's times")
                       ->type_name("RATE");
    app.add_option("--sweep-rate", sweep_rate_, "Serve at each rate: 1,2,4 or LOW:HIGH:COUNT")
        ->type_name("LIST")
        ->excludes(rate_option_);
    app.add_option("--arrivals", arrivals_,
                   "Pattern at a rate: trace (scaled), poisson or even (default: trace, poisson without times)")
        ->type_name("PATTERN");
    add_whole_option(app, "--seed", seed_, 0, kMostSeed,
                     "Seed of poisson arrivals and of the order of lengths (default: 1)");
    add_real_option(app, "--time-scale", time_scale_, kLeastRate, kMostRate, "Factor of the trace's times")
        ->type_name("FACTOR");
    app.add_option("--arrival-times", times_file_,
                   "For lengths without times: CSV with a column arrival_time of dates, cut to seconds")
        ->type_name("FILE");
    add_whole_option(app, "--vidur-max-tokens", vidur_max_, 2, kMostTokens,
                     "Vidur's traces: longer requests are cut (default: 4096)");
    app.add_flag("--skip-unusable", skip_, "Leave out requests without tokens or that are too long");
  }

  void check_options() {
    if (plot_ && out_.empty()) throw usage_error("--plot needs a folder: give --out DIR");
    if (!arrivals_.empty() && std::find(kArrivalWords.begin(), kArrivalWords.end(), arrivals_) == kArrivalWords.end()) {
      throw usage_error("--arrivals " + arrivals_ + ": " + suggest(arrivals_, kArrivalWords));
    }
    if (!arrivals_.empty() && rate_option_->count() == 0 && sweep_rate_.empty()) {
      throw usage_error("--arrivals needs a rate: give --rate or --sweep-rate");
    }
    check_times();
    if (!sweep_rate_.empty()) rates_ = requests::parse_rates(sweep_rate_);
    FileRoles roles;
    choice_.add_roles(roles);
    roles.reads("TRACE", trace_file_);
    roles.reads("--arrival-times", times_file_);
    for (const std::string& file : files()) roles.writes("--out", file);
    roles.prints(json_);
    roles.check();
    limits_.block_size = static_cast<std::int64_t>(block_size_);
    limits_.max_seqs = static_cast<std::int64_t>(max_seqs_);
  }

  // Either a profile or a machine, and no option of the other.
  void check_times() const {
    if (!choice_.given() && !launches_.given()) {
      throw usage_error("where do the times come from? Give --profile DIR, or --topology FILE to simulate a machine");
    }
    const std::string other = launches_.given() ? choice_.own_option() : launches_.own_option();
    if (!other.empty()) {
      throw usage_error(launches_.given() ? other + " belongs to a profile, and the times are those of --topology"
                                          : other + " needs --topology; the times are those of --profile");
    }
    if (check_option_->count() == 0) return;
    if (!launches_.given()) throw usage_error("--check needs --topology: a profile cannot be simulated");
    if (!sweep_rate_.empty()) throw usage_error("--check is for a single run; leave --sweep-rate out");
  }

  std::vector<std::string> files() const {
    if (out_.empty()) return {};
    const auto file = [this](const char* name) { return out_ + '/' + name; };
    if (!rates_.empty()) return {file(result::kServingSummary), file(result::kRateTable)};
    return {file(result::kServingSummary), file(result::kRequestTable), file(result::kSecondTable)};
  }

  std::int64_t vidur_most() const { return static_cast<std::int64_t>(vidur_max_); }

  void load_times() {
    if (!launches_.given()) {
      choice_.load();
      model_ = choice_.model();
      return;
    }
    launches_.load(choice_.model_name(), choice_.tp(), warnings_);
    model_ = cells::served_model(launches_.setup().spec, launches_.setup().dtype);
    if (limits_.block_size != model::kCacheBlock) {
      throw usage_error(fmt::format("--block-size {}: the kernels of the machine have blocks of {} tokens",
                                    limits_.block_size, model::kCacheBlock));
    }
    const auto tokens = std::min(static_cast<std::int64_t>(max_tokens_), model_.max_positions);
    const std::int64_t room = launches_.find_room(tokens);
    if (static_cast<std::int64_t>(blocks_) > room) {
      throw usage_error(fmt::format("--blocks {}: the HBM of a SIP has room for {}", blocks_, room));
    }
    if (blocks_ == 0) blocks_ = static_cast<std::uint64_t>(room);
  }

  void open_source(const requests::RequestTrace& trace, sim::ProgressLine& line) {
    if (!launches_.given()) {
      profile_source_.emplace(choice_.bundle().profile, model_, choice_.ranks(), choice_.links());
      times_ = &*profile_source_;
      return;
    }
    launches_.use_pattern(trace.requests);
    cells::LaunchSource& source = launches_.open_source();
    line.stage("simulating launches");
    source.on_progress([&line](std::size_t done, std::size_t missing) {
      line.news(fmt::format("{} of {} cells simulated for this part of the trace", done, missing));
    });
    times_ = &source;
  }

  void find_blocks() {
    if (!choice_.has_cluster()) throw usage_error("--blocks is required without --cluster, which states the memory");
    blocks_ = static_cast<std::uint64_t>(
        requests::blocks_that_fit(choice_.cluster(), choice_.model(), choice_.ranks(), limits_.block_size));
  }

  // What depends on several inputs: limits, arrivals, requests that do not fit.
  void prepare(requests::RequestTrace& trace) {
    limits_.blocks = static_cast<std::int64_t>(blocks_);
    limits_.max_tokens = std::min(static_cast<std::int64_t>(max_tokens_), model_.max_positions);
    skipped_ = requests::check_requests(trace_file_, trace, limits_, model_.max_positions, skip_);
    if (time_scale_ != 1.0) serving::scale_times(trace.requests, time_scale_);
    trace_rate_ = serving::rate_of(trace.requests);
    if (arrivals_.empty()) arrivals_ = trace.has_times ? "trace" : "poisson";
    const auto word = std::find(kArrivalWords.begin(), kArrivalWords.end(), arrivals_);
    kind_ = static_cast<serving::ArrivalKind>(std::distance(kArrivalWords.begin(), word));
    const bool rated = rate_option_->count() > 0 || !rates_.empty();
    if (!rated && !trace.has_times)
      throw usage_error("the trace has no times; give --rate, --sweep-rate or --arrival-times");
    if (rate_option_->count() > 0) serving::set_rate(trace.requests, kind_, rate_, seed_);
    const bool contents = std::any_of(trace.requests.begin(), trace.requests.end(),
                                      [](const serving::Request& request) { return !request.contents.empty(); });
    if (limits_.prefix_cache && !contents) {
      trace.warnings.push_back(
          {trace_file_, 0, 0, "", "the trace has no ids of tokens or blocks", "the prefix cache finds nothing"});
    }
    if (choice_.given()) note_measured_limits(trace.warnings);
    const std::vector<Diagnostic>& more = choice_.given() ? choice_.bundle().warnings : warnings_;
    trace.warnings.insert(trace.warnings.end(), more.begin(), more.end());
    if (!quiet_) print_warnings(trace.warnings);
  }

  void note_measured_limits(std::vector<Diagnostic>& warnings) {
    const profile::KernelProfile& profile = choice_.bundle().profile;
    const auto note = [&](const char* option, std::int64_t wanted, std::int64_t measured) {
      if (measured == 0 || wanted <= measured) return;
      warnings.push_back(
          {choice_.folder() + "/meta.yaml", 0, 0, "",
           fmt::format("the profile was measured for {} of {}, and the run has {}", option, measured, wanted),
           "beyond it the last two rows are extended"});
    };
    note("max_num_batched_tokens", limits_.max_tokens, profile.max_tokens);
    note("max_num_seqs", limits_.max_seqs, profile.max_seqs);
  }

  requests::ServingSetup setup() {
    return {times_, model_, choice_.given() ? choice_.ranks() : profile::Ranks{choice_.tp(), 1}, limits_};
  }

  requests::Summary summary_of(const requests::RequestTrace& trace) {
    requests::Summary summary;
    summary.trace = trace_file_;
    summary.trace_format = trace.format;
    summary.profile = choice_.folder();
    summary.model = model_.name;
    summary.hardware = choice_.given() ? choice_.bundle().profile.hardware : launches_.machine_name();
    summary.setup = setup();
    if (rate_option_->count() > 0) summary.rate = rate_;
    summary.trace_rate = trace_rate_;
    summary.requests = trace.requests.size();
    summary.skipped = skipped_;
    for (const Diagnostic& warning : trace.warnings) summary.warnings.push_back(warning.text());
    return summary;
  }

  int run_once(const requests::RequestTrace& trace, sim::ProgressLine& line) {
    observe::OutputSet outputs;
    const Opened opened = open(outputs);
    std::vector<serving::Second> seconds;
    serving::Timeline timeline(limits_.blocks, [&](const serving::Second& second) {
      if (opened.second != nullptr) opened.second->write(requests::second_row(second, counts_energy()));
      if (plot_) seconds.push_back(second);
    });
    requests::ServingListeners listeners;
    std::optional<requests::RequestRows> rows;
    if (opened.first != nullptr) {
      rows.emplace(
          model_.name, [&](std::string_view text) { opened.first->write(text); }, counts_energy());
      listeners.observers = {&*rows, &timeline};
      listeners.keep_gaps = true;
    }
    requests::StepSamples samples(check_);
    if (check_ > 0) listeners.observers.push_back(&samples);
    listeners.tick = [&](std::size_t finished) { line.update_count(finished, trace.requests.size(), "requests"); };
    const std::unique_ptr<requests::Served> served = requests::serve(setup(), trace.requests, listeners);
    timeline.finish();
    requests::Summary summary = summary_of(trace);
    summary.served = served.get();
    if (launches_.given()) summary.simulated = simulated(samples, line);
    publish(summary, outputs, opened.summary);
    if (plot_) requests::draw_timeline(seconds, std::filesystem::path(trace_file_).filename().string(), out_);
    return 0;
  }

  int run_rates(const requests::RequestTrace& trace, sim::ProgressLine& line) {
    observe::OutputSet outputs;
    const Opened opened = open(outputs);
    const requests::RateSweep sweep =
        requests::sweep_rates(setup(), trace.requests, rates_, kind_, seed_,
                              [&](std::size_t done) { line.update_count(done, rates_.size(), "rates"); });
    if (opened.first != nullptr) opened.first->write(requests::rate_table(sweep));
    requests::Summary summary = summary_of(trace);
    summary.sweep = &sweep;
    if (launches_.given()) summary.simulated = simulated(requests::StepSamples(0), line);
    publish(summary, outputs, opened.summary);
    if (plot_) requests::draw_knee(sweep, std::filesystem::path(trace_file_).filename().string(), out_);
    return 0;
  }

  bool counts_energy() const { return launches_.given() && launches_.source().joules() != nullptr; }

  // What the times are worth.
  requests::SimulatedTimes simulated(const requests::StepSamples& samples, sim::ProgressLine& line) {
    requests::SimulatedTimes times;
    times.simulated = launches_.simulator().simulated();
    times.known = launches_.simulator().known();
    times.tables = launches_.source().tables().leave_one_out(profile::kExactCounts);
    if (const profile::LaunchJoules* const joules = launches_.source().joules()) {
      times.energy = requests::EnergyCount{joules->defaults, {joules->not_counted.begin(), joules->not_counted.end()}};
    }
    for (const requests::SampledStep& step : samples.steps_chosen()) {
      line.news(fmt::format("{} of {} steps checked", times.checks.size(), check_));
      model::Batch batch{model::Phase::prefill, {}};
      for (const serving::BatchEntry& entry : step.batch) batch.sequences.push_back({1, entry.past, entry.new_tokens});
      const cells::ExactStep exact = launches_.simulator().exact_step(batch);
      times.checks.push_back(
          {step.number, batch.tokens(), batch.size(), step.ns, std::llround(fs_to_ns(exact.time)), step.joules, {}});
      if (exact.energy) times.checks.back().exact_joules = exact.energy->events.value;
    }
    return times;
  }

  struct Opened {
    observe::OutputFile *summary = nullptr, *first = nullptr, *second = nullptr;
  };
  Opened open(observe::OutputSet& outputs) const {
    Opened opened;
    if (out_.empty()) return opened;
    observe::make_folder(out_);
    const std::vector<std::string> names = files();
    opened.summary = &outputs.add(names[0], "the summary");
    opened.first = &outputs.add(names[1], rates_.empty() ? "the rows of requests" : "the rows of rates");
    if (names.size() > 2) {
      opened.second = &outputs.add(names[2], "the timeline");
      opened.second->write(requests::second_columns(counts_energy()));
    }
    return opened;
  }

  void publish(const requests::Summary& summary, observe::OutputSet& outputs, observe::OutputFile* file) {
    const std::string json = requests::summary_json(summary);
    if (file != nullptr) file->write(json);
    outputs.commit();
    if (json_) return print(json);
    if (!quiet_) print_text(requests::summary_text(summary) + written_text());
  }

  std::string written_text() const {
    if (out_.empty()) return "";
    std::string names;
    for (const std::string& file : files()) names += std::filesystem::path(file).filename().string() + ", ";
    names.resize(names.size() - 2);
    return fmt::format("\nIn {0}: {1}; 'kernbench web {0}' shows them\n", out_, names);
  }

  ProfileChoice choice_;
  LaunchChoice launches_;
  profile::ServedModel model_;
  std::vector<Diagnostic> warnings_;
  std::optional<profile::ProfileSource> profile_source_;
  serving::ITimeSource* times_ = nullptr;
  std::uint64_t check_ = 0;
  CLI::Option* check_option_ = nullptr;
  serving::VllmLimits limits_;
  std::string trace_file_, times_file_, out_, sweep_rate_, arrivals_;
  std::uint64_t blocks_ = 0, block_size_ = 16, max_seqs_ = 256, max_tokens_ = 2048, seed_ = 1, vidur_max_ = 4096;
  double rate_ = 0.0, time_scale_ = 1.0, trace_rate_ = 0.0;
  CLI::Option* rate_option_ = nullptr;
  serving::ArrivalKind kind_ = serving::ArrivalKind::trace;
  std::vector<double> rates_;
  std::size_t skipped_ = 0;
  bool plot_ = false, json_ = false, quiet_ = false, skip_ = false;
};

}  // namespace

std::unique_ptr<Command> make_model_requests_command(CLI::App& app, const Program& program) {
  return std::make_unique<ModelRequestsCommand>(app, program);
}

}  // namespace kb::cli
