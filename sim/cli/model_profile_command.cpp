#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>

#include "platform/model/parallel_plan.h"
#include "platform/observe/json_writer.h"
#include "platform/observe/output_set.h"
#include "sim/cli/arguments.h"
#include "sim/cli/file_roles.h"
#include "sim/cli/help.h"
#include "sim/cli/launch_choice.h"
#include "sim/cli/model_command.h"
#include "sim/run/driver/progress.h"
#include "sim/study/cells/profile_files.h"
#include "sim/study/requests/bundle.h"
#include "sim/study/requests/input_text.h"
#include "sim/study/requests/request_checks.h"
#include "sim/study/requests/request_file.h"
#include "sim/study/requests/serving_run.h"
#include "sim/study/requests/table_errors.h"

namespace kb::cli {
namespace {

class ModelProfileCommand final : public Command {
 public:
  ModelProfileCommand(CLI::App& app, const Program& program) {
    app.footer(kModelProfileFooter);
    app.add_option("CONFIG", model_, "config.json of a Hugging Face model, its folder, or the name of a shipped model")
        ->required();
    launches_.add_options(app, program);
    add_whole_option(app, "--tp", tp_, 1, static_cast<std::uint64_t>(model::kMostSips),
                     "SIPs that share each layer (default: 1)");
    app.add_option("--out", out_, "Folder of the profile: meta.yaml, and tp1 or another one of --tp")
        ->type_name("DIR")
        ->required();
    constexpr std::uint64_t kMostTokens = 1'000'000, kMostSeqs = 4096;
    add_whole_option(app, "--max-tokens", max_tokens_, 1, kMostTokens, "Most new tokens of a step (default: 2048)");
    add_whole_option(app, "--max-seqs", max_seqs_, 1, kMostSeqs, "Most requests of a step (default: 256)");
    context_option_ = add_whole_option(app, "--max-context", max_context_, 16, kMostTokens,
                                       "Most tokens of a request (default: 8192, or what the model was made for)");
    app.add_option("--trace", trace_, "Attention only where serving these requests goes, with contexts as theirs")
        ->type_name("FILE");
    app.add_option("--hardware", hardware_, "Name of the hardware in meta.yaml (default: that of the machine's file)")
        ->type_name("WORD");
    app.add_flag("--json", json_, "Print what was measured as JSON");
  }

  int run() override {
    FileRoles roles;
    roles.reads("--trace", trace_);
    for (const std::string& file : files()) roles.writes("--out", file);
    roles.check();
    std::vector<Diagnostic> warnings;
    launches_.load(model_, static_cast<std::int64_t>(tp_), warnings);
    print_warnings(warnings);
    served_ = cells::served_model(launches_.setup().spec, launches_.setup().dtype);
    cells::require_profile_layers(served_);
    choose_limits();
    choose_names();
    sim::ProgressLine line(json_ ? sim::Progress::on_request : sim::Progress::automatic);
    line.stage("simulating launches");
    const cells::ProfileGrid grid = trace_.empty() ? cells::ProfileGrid(limits_) : grid_of_trace(line);
    if (trace_.empty()) launches_.open_source();
    launches_.simulator().fill(grid.cells(), tables_, nullptr, progress(line));
    line.stage(nullptr);
    write(grid);
    return 0;
  }

 private:
  std::vector<std::string> files() const {
    const std::string folder = rank_folder();
    return {out_ + "/meta.yaml", folder + "/dense.csv", folder + "/per_sequence.csv", folder + "/attention.csv"};
  }
  std::string rank_folder() const { return fmt::format("{}/tp{}", out_, tp_); }

  static cells::CellSimulator::Progress progress(sim::ProgressLine& line) {
    return [&line](std::size_t done, std::size_t missing) {
      line.news(fmt::format("{} of {} cells simulated", done, missing));
    };
  }

  void choose_limits() {
    const auto number = [](std::uint64_t value) { return static_cast<std::int64_t>(value); };
    limits_ = {number(max_tokens_), number(max_seqs_), number(max_context_)};
    if (context_option_->count() == 0) limits_.max_context = std::min(limits_.max_context, served_.max_positions);
    const std::int64_t room = launches_.find_room(limits_.max_tokens) * model::kCacheBlock;
    const std::int64_t needed = limits_.max_seqs * (limits_.max_context + model::kCacheBlock) * 3 / 2;
    if (!trace_.empty() || needed <= room) return;
    throw usage_error(fmt::format(
        "{} requests with contexts of {} on average need {} tokens of cache, and a SIP has room for {}; use a smaller "
        "--max-seqs or --max-context, or --trace",
        limits_.max_seqs, limits_.max_context, needed, room));
  }

  // A folder may have several degrees of one model on one machine.
  void choose_names() {
    if (hardware_.empty()) hardware_ = std::filesystem::path(launches_.machine_name()).stem().string();
    degrees_ = {static_cast<std::int64_t>(tp_)};
    if (!std::filesystem::exists(out_ + "/meta.yaml")) return;
    profile::KernelProfile there;
    requests::Problems problems;
    requests::read_meta(out_, there, problems);
    problems.throw_if_any();
    if (there.hardware != hardware_ || there.model != served_.name) {
      throw usage_error(fmt::format("--out {}: the folder has a profile of {} on {}; choose another folder", out_,
                                    there.model, there.hardware));
    }
    for (std::int64_t degree = 1; degree <= model::kMostSips; ++degree) {
      const bool own = degree == degrees_.front();
      if (!own && std::filesystem::exists(fmt::format("{}/tp{}", out_, degree))) degrees_.push_back(degree);
    }
    std::sort(degrees_.begin(), degrees_.end());
  }

  cells::ProfileGrid grid_of_trace(sim::ProgressLine& line) {
    requests::RequestTrace trace = requests::read_requests(trace_, {model::kCacheBlock, 4096, 1});
    if (!trace.has_times) throw usage_error("--trace " + trace_ + ": the trace has no times");
    serving::VllmLimits limits;
    limits.blocks = launches_.find_room(limits_.max_tokens);
    limits.max_tokens = limits_.max_tokens;
    limits.max_seqs = limits_.max_seqs;
    requests::check_requests(trace_, trace, limits, served_.max_positions, false);
    launches_.use_pattern(trace.requests);
    cells::LaunchSource& source = launches_.open_source();
    source.on_progress(progress(line));
    requests::serve({&source, served_, {static_cast<std::int64_t>(tp_), 1}, limits}, trace.requests);
    std::vector<profile::Cell> visited;
    for (const auto& [cell, parts] : source.tables().cells()) visited.push_back(cell);
    return cells::ProfileGrid(limits_, visited);
  }

  void write(const cells::ProfileGrid& grid) {
    const cells::MachineProfile profile{
        grid,
        tables_,
        served_,
        hardware_,
        std::string(dtype_name(launches_.setup().dtype)),
        trace_.empty() ? "spread evenly from half of kv_decode to one and a half" : "as those of the trace",
        static_cast<std::int64_t>(tp_),
        degrees_};
    observe::make_folder(rank_folder());
    observe::OutputSet outputs;
    const std::vector<std::string> names = files();
    outputs.add(names[0], "the description").write(cells::meta_yaml(profile));
    outputs.add(names[1], "the products").write(cells::dense_csv(profile));
    outputs.add(names[2], "the head").write(cells::per_sequence_csv(profile));
    outputs.add(names[3], "the attention").write(cells::attention_csv(profile));
    outputs.commit();
    json_ ? print(json()) : print_text(text(names));
  }

  std::vector<profile::LeaveOneOut> errors() const { return tables_.leave_one_out(0); }

  std::string text(const std::vector<std::string>& names) const {
    return fmt::format("{} on {}, tp {}: {} cells simulated, {} known\n", served_.name, hardware_, tp_,
                       launches_.simulator().simulated(), launches_.simulator().known()) +
           requests::table_errors_text(errors()) + fmt::format("\n{}\n", fmt::join(names, "\n"));
  }

  std::string json() const {
    observe::JsonWriter json;
    json.begin_object().key("model").text(served_.name).key("hardware").text(hardware_);
    json.key("tp").unsigned_integer(tp_);
    json.key("cells_simulated").unsigned_integer(launches_.simulator().simulated());
    json.key("cells_known").unsigned_integer(launches_.simulator().known());
    requests::put_table_errors(json, errors());
    json.end_object();
    return json.str() + "\n";
  }

  LaunchChoice launches_;
  std::string model_, out_, trace_, hardware_;
  std::uint64_t tp_ = 1, max_tokens_ = 2048, max_seqs_ = 256, max_context_ = 8192;
  CLI::Option* context_option_ = nullptr;
  bool json_ = false;
  profile::ServedModel served_;
  cells::ProfileLimits limits_;
  std::vector<std::int64_t> degrees_;
  profile::LaunchTables tables_;
};

}  // namespace

std::unique_ptr<Command> make_model_profile_command(CLI::App& app, const Program& program) {
  return std::make_unique<ModelProfileCommand>(app, program);
}

}  // namespace kb::cli
