#include "sim/study/sweep/tasks.h"

#include <fmt/format.h>

#include <algorithm>

#include "platform/base/error.h"
#include "sim/study/sweep/outside_program.h"

namespace kb::sweep {
namespace {

std::string base_command(const TaskContext& context) {
  std::string text = fmt::format("{} sweep {} --out {} --identity {} --quiet", shell_word(context.program),
                                 shell_word(context.file), shell_word(context.folder), context.identity);
  if (context.most_points > 0) text += fmt::format(" --max-points {}", context.most_points);
  return text;
}

}  // namespace

TaskPlan plan_tasks(const std::vector<std::uint64_t>& missing, std::uint64_t points, std::uint64_t points_of_task) {
  TaskPlan plan;
  plan.points_of_task =
      points_of_task > 0 ? points_of_task : std::max(kLeastPoints, (points + kMaxTasks - 1) / kMaxTasks);
  for (const std::uint64_t point : missing) {
    const std::uint64_t task = point / plan.points_of_task;
    if (plan.tasks.empty() || plan.tasks.back() != task) plan.tasks.push_back(task);
  }
  return plan;
}

std::string task_command(const TaskContext& context, const TaskPlan& plan, const std::string& task,
                         const std::string& jobs) {
  return base_command(context) + fmt::format(" --task {} --points-per-task {}{}{}", task, plan.points_of_task,
                                             context.attempt > 1 ? fmt::format(" --attempt {}", context.attempt) : "",
                                             jobs.empty() ? "" : " --jobs " + jobs);
}

std::string collect_command(const TaskContext& context, bool plot) {
  return base_command(context) + " --collect" + (plot ? " --plot" : "");
}

}  // namespace kb::sweep
