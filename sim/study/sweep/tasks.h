// Distributes a sweep over many computers: each task runs a part of the points, and all write into one folder.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace kb::sweep {

// Task t has the points from t * points_of_task on.
struct TaskPlan {
  std::uint64_t points_of_task = 1;
  std::vector<std::uint64_t> tasks;  // tasks with missing points, ascending
};

// `points_of_task` 0: chosen so that there are at most kMaxTasks tasks, each large enough to be worth starting.
TaskPlan plan_tasks(const std::vector<std::uint64_t>& missing, std::uint64_t points, std::uint64_t points_of_task);
inline constexpr std::uint64_t kMaxTasks = 1000;   // the default maximum array size of Slurm
inline constexpr std::uint64_t kLeastPoints = 20;  // minimum points per task of a chosen plan

// Input of a task; all paths are absolute.
struct TaskContext {
  std::string program;
  std::string file;      // sweep file
  std::string folder;    // folder of the table, shared by all computers
  std::string identity;  // a task with another identity refuses to run
  std::uint64_t most_points = 0;
  std::uint64_t attempt = 1;  // points that failed in an earlier attempt are run again
};

// The /bin/sh command of task `task`, which is a shell text such as "$SLURM_ARRAY_TASK_ID".
std::string task_command(const TaskContext& context, const TaskPlan& plan, const std::string& task,
                         const std::string& jobs);
// The command that collects the answers into the table.
std::string collect_command(const TaskContext& context, bool plot);

// Options of the user for Slurm.
struct SlurmOptions {
  std::vector<std::string> words;  // arguments for sbatch: "--partition=long"
  int cores = 1;                   // per task
  bool plot = false;
  bool wait = false;
};
struct SlurmJobs {
  std::string array, collect;  // job numbers
};
// Configuration Error when Slurm is missing, refuses the jobs, or still runs jobs of this folder.
SlurmJobs submit_to_slurm(const TaskContext& context, const TaskPlan& plan, const SlurmOptions& options);
// Configuration Error when submitted jobs of this folder have not ended.
void refuse_running_jobs(const std::string& folder);
// Waits until the collecting job has ended.
void wait_for_slurm(const SlurmJobs& jobs, const std::function<void()>& tick);

// Runs the tasks with GNU parallel. `hosts` is a comma-separated list as for --sshlogin, the name of a file with one
// host per line, or empty for this computer. Returns a message when tasks have failed on every host. Configuration
// Error when GNU parallel is missing.
std::string run_with_parallel(const TaskContext& context, const TaskPlan& plan, const std::string& hosts, int jobs,
                              const std::function<void()>& tick);

}  // namespace kb::sweep
