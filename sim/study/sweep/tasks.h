// A sweep on many computers: each task runs a part of its points, all write into one folder.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace kb::sweep {

// Task t has the points from t * points_of_task on.
struct TaskPlan {
  std::uint64_t points_of_task = 1;
  std::vector<std::uint64_t> tasks;  // that have something to do, ascending
};

// `points_of_task` 0: chosen, so that there are at most kMaxTasks and each is worth its start.
TaskPlan plan_tasks(const std::vector<std::uint64_t>& missing, std::uint64_t points, std::uint64_t points_of_task);
inline constexpr std::uint64_t kMaxTasks = 1000;   // the largest array of Slurm, as it comes
inline constexpr std::uint64_t kLeastPoints = 20;  // of a chosen plan

// What a task needs to know; all names are absolute.
struct TaskContext {
  std::string program;
  std::string file;      // of the sweep
  std::string folder;    // of its table, shared by all computers
  std::string identity;  // a task that has another one refuses to work
  std::uint64_t most_points = 0;
  std::uint64_t attempt = 1;  // points that have failed in one before are run again
};

// The command of task `task`, a shell text such as "$SLURM_ARRAY_TASK_ID", for /bin/sh.
std::string task_command(const TaskContext& context, const TaskPlan& plan, const std::string& task,
                         const std::string& jobs);
// The command that makes the table of what there is.
std::string collect_command(const TaskContext& context, bool plot);

// Slurm.
struct SlurmOptions {
  std::vector<std::string> words;  // of the user, for sbatch: "--partition=long"
  int cores = 1;                   // of a task
  bool plot = false;
  bool wait = false;
};
struct SlurmJobs {
  std::string array, collect;  // numbers
};
// Configuration Error when Slurm is not there, refuses, or still runs jobs of this folder.
SlurmJobs submit_to_slurm(const TaskContext& context, const TaskPlan& plan, const SlurmOptions& options);
// Configuration Error when jobs that were submitted for this folder have not ended.
void refuse_running_jobs(const std::string& folder);
// Until the collecting job has ended.
void wait_for_slurm(const SlurmJobs& jobs, const std::function<void()>& tick);

// GNU parallel. `hosts` is a list with commas between, as of --sshlogin, the name of a file with one per line, or empty
// for this computer. Returns a remark when tasks have failed on every host. Configuration Error when it is not there.
std::string run_with_parallel(const TaskContext& context, const TaskPlan& plan, const std::string& hosts, int jobs,
                              const std::function<void()>& tick);

}  // namespace kb::sweep
