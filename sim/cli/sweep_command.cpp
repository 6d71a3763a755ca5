#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>
#include <system_error>
#include <utility>
#include <vector>

#include "platform/base/nearest.h"
#include "platform/base/printable.h"
#include "sim/cli/arguments.h"
#include "sim/cli/catalogs.h"
#include "sim/cli/help.h"
#include "sim/cli/program.h"
#include "sim/cli/workload_library.h"
#include "sim/run/driver/interrupt.h"
#include "sim/run/driver/progress.h"
#include "sim/study/files/folder_lock.h"
#include "sim/study/sweep/fill_axes.h"
#include "sim/study/sweep/sweep.h"
#include "sim/study/sweep/sweep_file.h"
#include "sim/study/sweep/tasks.h"

namespace kb::cli {
namespace {

constexpr std::uint64_t kMaxPoints = 100'000'000;
const std::vector<std::string> kPlaces{"local", "slurm", "parallel"};

// Problems of the plug-ins stand where the file names these.
std::unique_ptr<const WorkloadLibrary> load_plugins(const sweep::SweepSpec& spec) {
  try {
    return std::make_unique<const WorkloadLibrary>(spec.plugins);
  } catch (const Error& error) {
    std::vector<Diagnostic> problems;
    for (const Diagnostic& problem : error.diagnostics()) {
      Diagnostic place = spec.fixed_places.at("plugins");
      place.message = problem.file.empty() ? problem.message : problem.file + ": " + problem.message;
      place.remedy = problem.remedy;
      problems.push_back(std::move(place));
    }
    if (problems.empty()) throw;
    throw Error(std::move(problems));
  }
}

class SweepCommand final : public Command {
 public:
  SweepCommand(CLI::App& app, const Program& program) : program_(program) {
    app.footer(kSweepFooter);
    app.add_option("FILE", file_, "Sweep file")->required();
    app.add_option("--out", out_, "Folder for the table and the journal (default: sweeps/NAME)")->type_name("DIR");
    add_whole_option(app, "--jobs", jobs_, 1, 9999, "Points at a time on one computer (default: one per core)");
    app.add_flag("--plot", plot_, "Draw the plots of the file: gnuplot scripts, SVG and PNG in DIR/plots");
    app.add_flag("--collect", collect_, "Run nothing: make the table of the points that are done");
    app.add_flag("--retry-failed", retry_failed_, "Run points again that have failed");
    app.add_flag("--dry-run", dry_run_,
                 "Check the file, say how many points there are and how many are done, and exit");
    add_whole_option(app, "--max-points", most_points_, 1, kMaxPoints,
                     "Accept a sweep of this many points (default: limits.points of the file, 100000)");
    app.add_option("--on", on_, "Where points run: local, slurm (a job array) or parallel (GNU parallel)")
        ->type_name("PLACE")
        ->capture_default_str();
    app.add_option("--hosts", hosts_, "Of --on parallel: host,host,... or a file with one per line (default: this one)")
        ->type_name("LIST");
    add_whole_option(app, "--points-per-task", points_per_task_, 1, kMaxPoints,
                     "Points of a task of --on slurm and parallel (default: 20, more where tasks are over 1000)");
    app.add_option("--slurm", slurm_, "Word for sbatch, e.g. --slurm=--partition=long; may be repeated")
        ->type_name("WORD")
        ->expected(1)
        ->take_all();
    app.add_flag("--wait", wait_, "Of --on slurm: wait until all jobs have ended");
    app.add_flag("--quiet", quiet_, "Print errors only");
    add_whole_option(app, "--task", task_, 0, kMaxPoints, "A task that was submitted")->group("");
    add_whole_option(app, "--attempt", attempt_, 1, kMaxPoints, "Of a task: failures before this are run again")
        ->group("");
    app.add_option("--identity", identity_, "What the task has to find")->group("");
    task_option_ = app.get_option("--task");
  }

  int run() override {
    if (std::find(kPlaces.begin(), kPlaces.end(), on_) == kPlaces.end()) {
      throw usage_error("--on " + on_ + ": " + suggest(on_, kPlaces));
    }
    sweep::SweepSpec spec = sweep::read_sweep(file_);
    if (plot_ && spec.plots.empty() && spec.objectives.empty())
      throw usage_error("--plot: the file names no plots; add plots: [{x: ..., y: ...}]");
    const std::string file = std::filesystem::absolute(file_).lexically_normal().string();
    folder_ = std::filesystem::absolute(out_.empty() ? "sweeps/" + spec.name : out_).lexically_normal().string();
    if (!hosts_.empty() && std::filesystem::is_regular_file(hosts_))
      hosts_ = std::filesystem::absolute(hosts_).string();
    enter(spec.folder);
    const std::unique_ptr<const WorkloadLibrary> plugins = load_plugins(spec);
    const WorkloadLibrary& library = *plugins;
    const sweep::Catalogs catalogs = catalogs_of(library, program_);
    sweep::fill_axes(spec, catalogs);
    if (const sweep::Axis* const empty = sweep::empty_axis(spec)) {
      Diagnostic place = empty->place;
      place.message = "the query of this axis gives no value on this machine";
      place.remedy = "take another machine, or correct the query";
      throw Error({std::move(place)});
    }
    sweep::Sweep sweep(spec, catalogs, folder_, most_points_);
    check_identity(sweep);
    if (task_option_->count() > 0) return run_task(sweep);
    if (dry_run_) return preview(spec, sweep);
    remember_new_folders();
    lock_folder();
    sweep.read_journal();
    if (collect_) return finish(spec, sweep, 0);
    sweep::refuse_running_jobs(folder_);
    sim::set_interrupt_hint("finished points are kept; the same command goes on");
    if (retry_failed_) attempt_ = sweep.last_attempt() + 1;
    const std::vector<std::uint64_t> points = sweep.missing(attempt_);
    if (on_ == "local" || points.empty()) {
      sweep.run(points, attempt_, static_cast<int>(jobs_), progress());
    } else if (run_elsewhere_or_tidy(sweep, points, file)) {
      return 0;
    }
    return finish(spec, sweep, points.size());
  }

 private:
  // File names in the sweep file are relative to it, also for files that workloads open.
  static void enter(const std::string& folder) {
    std::error_code error;
    std::filesystem::current_path(folder, error);
    if (error) throw Error::configuration("cannot enter the folder " + folder + ": " + error.message());
  }

  // Stores the missing folders of the path, the deepest first.
  void remember_new_folders() {
    std::error_code ignored;
    for (std::filesystem::path folder = folder_;
         !std::filesystem::exists(folder, ignored) && folder.has_relative_path(); folder = folder.parent_path()) {
      new_folders_.push_back(folder);
    }
  }

  // Removes the new folders, which are empty, when the folder cannot be locked.
  void remove_new_folders() const {
    std::error_code ignored;
    for (const std::filesystem::path& folder : new_folders_) std::filesystem::remove(folder, ignored);
  }

  sim::Progress progress() const { return quiet_ ? sim::Progress::on_request : sim::Progress::automatic; }

  void check_identity(const sweep::Sweep& sweep) const {
    if (identity_.empty() || identity_ == sweep.identity()) return;
    throw Error::configuration(
        "this task was submitted for another program, sweep file, machine or plug-in than it finds here: it was "
        "changed "
        "meanwhile, or this computer has another one; submit again");
  }

  int run_task(sweep::Sweep& sweep) {
    sweep.read_journal();
    std::vector<std::uint64_t> points;
    for (const std::uint64_t point : sweep.missing(attempt_)) {
      if (point / points_per_task_ == task_) points.push_back(point);
    }
    sweep.run(points, attempt_, static_cast<int>(jobs_), sim::Progress::on_request);
    return 0;
  }

  int preview(const sweep::SweepSpec& spec, sweep::Sweep& sweep) {
    sweep.read_journal();
    const sweep::SweepCounts counts = sweep.counts();
    print_text(fmt::format("{} points, of which {} are done\n", counts.points, counts.points - counts.missing));
    if (!spec.objectives.empty()) print_text("objectives: " + sweep::objectives_text(spec.objectives) + "\n");
    return 0;
  }

  // Collecting is allowed while another process runs points.
  void lock_folder() {
    try {
      lock_.emplace(folder_, true, "sweep");
    } catch (const Error&) {
      if (!collect_) throw;
    }
  }

  bool run_elsewhere_or_tidy(sweep::Sweep& sweep, const std::vector<std::uint64_t>& points, const std::string& file) {
    try {
      return submit(sweep, points, file);
    } catch (const Error&) {
      remove_new_folders();
      throw;
    }
  }

  // True when other processes finish the sweep.
  bool submit(sweep::Sweep& sweep, const std::vector<std::uint64_t>& points, const std::string& file) {
    const sweep::TaskContext context{std::filesystem::read_symlink("/proc/self/exe").string(),
                                     file,
                                     folder_,
                                     sweep.identity(),
                                     most_points_,
                                     attempt_};
    const sweep::TaskPlan plan = sweep::plan_tasks(points, sweep.space().size(), points_per_task_);
    sim::ProgressLine line(progress());
    line.stage(nullptr);
    const auto tick = [&] {
      if (!line.due()) return;
      sweep.read_journal();
      const std::size_t left = sweep.missing(attempt_).size();
      line.update_text(sim::points_text(points.size() - left, points.size(), sweep.counts().failed, line.seconds()));
    };
    if (on_ == "parallel") {
      const std::string remark = sweep::run_with_parallel(context, plan, hosts_, static_cast<int>(jobs_), tick);
      if (!remark.empty()) print_note("kernbench sweep: " + remark);
      sweep.read_journal();
      return false;
    }
    sweep::SlurmOptions options{slurm_, static_cast<int>(jobs_ == 0 ? 1 : jobs_), plot_, wait_};
    const sweep::SlurmJobs jobs = sweep::submit_to_slurm(context, plan, options);
    if (!quiet_) {
      print_text(fmt::format("Slurm job {} has {} tasks of {} points, job {} makes the table in {}\n", jobs.array,
                             plan.tasks.size(), plan.points_of_task, jobs.collect, folder_));
    }
    lock_.reset();  // so that the collecting job can lock it
    if (!wait_) return true;
    sweep::wait_for_slurm(jobs, tick);
    lock_folder();
    sweep.read_journal();
    return false;
  }

  int finish(const sweep::SweepSpec& spec, const sweep::Sweep& sweep, std::size_t run) const {
    std::vector<std::string> files = sweep.write_table();
    if (plot_) {
      for (const std::string& file : sweep.draw()) files.push_back(file);
    }
    const sweep::SweepCounts counts = sweep.counts();
    if (!quiet_) {
      print_text(report(spec, counts, run, files) + sweep.front());
      if (counts.failed > 0) {
        const std::string cause = sweep.first_failure();  // a deadlock has a table below its first line
        print_text("the first failure is " + printable_line(cause.substr(0, cause.find('\n'))) + "\n");
      }
    }
    if (counts.unknown > 0) {
      print_note(
          fmt::format("kernbench sweep: {} of {} points have accesses with indices or masks that data mode off does "
                      "not know ({} in "
                      "all, column 'cause'): their times rest on assumed rows; write 'data: replay'",
                      counts.unknown, counts.points, counts.unknown_accesses));
    }
    if (counts.missing > 0) {
      const bool elsewhere = on_ != "local" || collect_;
      print_note(fmt::format("kernbench sweep: {} points are missing{}; {}", counts.missing,
                             elsewhere ? " (logs of tasks are in " + folder_ + ")" : "",
                             collect_ ? "leave --collect out to run them" : "give the same command again to run them"));
    }
    return counts.missing > 0 || (counts.ok == 0 && counts.points > 0) ? exit_code(ErrorFamily::program) : 0;
  }

  std::string report(const sweep::SweepSpec& spec, const sweep::SweepCounts& counts, std::size_t run,
                     const std::vector<std::string>& files) const {
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
    std::string text =
        fmt::format("{}: {} points, {} ok, {} failed", spec.name, counts.points, counts.ok, counts.failed);
    if (counts.missing > 0) text += fmt::format(", {} missing", counts.missing);
    text += fmt::format("; {} were run, {:.1f} s\n", run, seconds);
    for (const std::string& file : files) text += "  " + file + "\n";
    return text;
  }

  const Program& program_;
  const std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
  std::string file_;
  std::string out_;
  std::string folder_;
  std::uint64_t jobs_ = 0;
  std::uint64_t most_points_ = 0;
  bool plot_ = false;
  bool collect_ = false;
  bool retry_failed_ = false;
  bool dry_run_ = false;
  bool quiet_ = false;
  std::string on_ = "local";
  std::optional<files::FolderLock> lock_;
  std::vector<std::filesystem::path> new_folders_;
  std::string hosts_;
  std::uint64_t points_per_task_ = 0;
  std::vector<std::string> slurm_;
  bool wait_ = false;
  CLI::Option* task_option_ = nullptr;
  std::uint64_t task_ = 0;
  std::uint64_t attempt_ = 1;
  std::string identity_;
};

}  // namespace

std::unique_ptr<Command> make_sweep_command(CLI::App& app, const Program& program) {
  return std::make_unique<SweepCommand>(app, program);
}

}  // namespace kb::cli
