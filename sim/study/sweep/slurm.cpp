#include <fmt/format.h>

#include <cctype>
#include <filesystem>
#include <thread>

#include "platform/base/error.h"
#include "platform/base/split.h"
#include "platform/observe/output_file.h"
#include "sim/study/files/files.h"
#include "sim/study/sweep/outside_program.h"
#include "sim/study/sweep/tasks.h"

namespace kb::sweep {
namespace {

constexpr std::chrono::seconds kAskEvery{2};
constexpr int kAttempts = 30;

std::string jobs_file(const std::string& folder) {
  return folder + "/slurm/jobs.txt";
}

// Returns "0-3,7", the notation of Slurm.
std::string array_of(const std::vector<std::uint64_t>& tasks) {
  std::string text;
  for (std::size_t i = 0; i < tasks.size();) {
    std::size_t last = i;
    while (last + 1 < tasks.size() && tasks[last + 1] == tasks[last] + 1) ++last;
    text += (text.empty() ? "" : ",") + std::to_string(tasks[i]);
    if (last > i) text += "-" + std::to_string(tasks[last]);
    i = last + 1;
  }
  return text;
}

[[noreturn]] void refuse(const std::string& program, const ProgramOutput& said) {
  if (!said.not_started.empty()) {
    throw Error::configuration("Slurm is not there (" + said.words() +
                               "); run this where jobs are submitted from, or use --on parallel or --on local");
  }
  throw Error::configuration(program + " refuses: " + said.words());
}

// Submits the script and returns the number of the job.
std::string submit(const std::vector<std::string>& command, const std::string& script) {
  const ProgramOutput said = run_program(command, script);
  if (said.code != 0 || !said.not_started.empty()) refuse("sbatch", said);
  std::string number = split(said.output, ';').front();  // --parsable: "12" or "12;cluster"
  while (!number.empty() && std::isdigit(static_cast<unsigned char>(number.back())) == 0) number.pop_back();
  if (number.empty()) throw Error::configuration("sbatch names no job: " + said.words());
  return number;
}

std::vector<std::string> sbatch(const TaskContext& context, const SlurmOptions& options, const std::string& log) {
  std::vector<std::string> command{"sbatch", "--parsable", "--requeue", "--open-mode=append", "--export=ALL"};
  command.push_back("--job-name=" + std::filesystem::path(context.folder).filename().string());
  command.push_back("--chdir=" + context.folder);
  command.push_back("--output=" + context.folder + "/slurm/" + log);
  command.insert(command.end(), options.words.begin(), options.words.end());
  return command;
}

// Returns the jobs that have not ended. A controller that does not answer is queried again; a missing answer does not
// mean that a job has ended.
std::string unfinished(const std::string& jobs) {
  ProgramOutput said;
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    if (attempt > 0) std::this_thread::sleep_for(kAskEvery);
    said = run_program({"squeue", "--noheader", "--format=%i", "--jobs=" + jobs});
    if (!said.not_started.empty()) refuse("squeue", said);
    if (said.code == 0) break;
    if (said.words().find("Invalid job id") != std::string::npos) return {};  // ended long ago
  }
  if (said.code != 0) refuse("squeue", said);
  std::string list;
  for (const std::string& job : split(said.output, '\n')) {
    if (!job.empty()) list += (list.empty() ? "" : ", ") + job;
  }
  return list;
}

// Slurm shows a task as ended for a moment when it requeues it after the loss of its node, so that the collecting job
// begins; that job is then also requeued.
std::string wait_for_requeued(const std::string& array) {
  return "#!/bin/sh\nif [ -n \"$(squeue -h -j " + array +
         " -t PENDING,RUNNING,SUSPENDED,CONFIGURING -o %i 2>/dev/null)\" ]; then\n"
         "  scontrol requeue \"$SLURM_JOB_ID\" && exec sleep 60\nfi\n";
}

}  // namespace

void refuse_running_jobs(const std::string& folder) {
  std::string jobs = files::read_file(jobs_file(folder));
  while (!jobs.empty() && jobs.back() == '\n') jobs.pop_back();
  if (jobs.empty()) return;
  const ProgramOutput there = run_program({"squeue", "--version"});
  if (!there.not_started.empty()) return;
  const std::string running = unfinished(jobs);
  if (running.empty()) return;
  throw Error::configuration("Slurm jobs of this sweep have not ended: " + running + "; wait (squeue -j " + jobs +
                             "), or end them with scancel " + jobs);
}

SlurmJobs submit_to_slurm(const TaskContext& context, const TaskPlan& plan, const SlurmOptions& options) {
  const std::string folder = context.folder + "/slurm";
  observe::make_folder(folder);
  const std::string head = "#!/bin/sh\nexec ";
  SlurmJobs jobs;
  std::vector<std::string> command = sbatch(context, options, "task-%A_%a.log");
  command.push_back("--array=" + array_of(plan.tasks));
  command.push_back(fmt::format("--cpus-per-task={}", options.cores));
  try {
    jobs.array = submit(
        command, head + task_command(context, plan, "\"$SLURM_ARRAY_TASK_ID\"", std::to_string(options.cores)) + "\n");
  } catch (const Error&) {
    std::error_code ignored;
    std::filesystem::remove(folder, ignored);  // only if empty
    throw;
  }
  command = sbatch(context, options, "collect-%j.log");
  command.push_back("--dependency=afterany:" + jobs.array);
  try {
    jobs.collect =
        submit(command, wait_for_requeued(jobs.array) + "exec " + collect_command(context, options.plot) + "\n");
  } catch (const Error&) {
    run_program({"scancel", jobs.array});
    throw;
  }
  files::write_file(jobs_file(context.folder), jobs.array + "," + jobs.collect + "\n", "the list of Slurm jobs");
  return jobs;
}

void wait_for_slurm(const SlurmJobs& jobs, const std::function<void()>& tick) {
  while (!unfinished(jobs.collect).empty()) {
    if (tick) tick();
    std::this_thread::sleep_for(kAskEvery);
  }
}

}  // namespace kb::sweep
