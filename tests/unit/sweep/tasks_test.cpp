#include "sim/study/sweep/tasks.h"

#include <gmock/gmock.h>

#include "sim/study/sweep/outside_program.h"

namespace kb::sweep {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(Tasks, OnlyThoseWithSomethingToDoAreMade) {
  const TaskPlan plan = plan_tasks({0, 3, 4, 25, 99}, 100, 10);
  EXPECT_EQ(plan.points_of_task, 10u);
  EXPECT_THAT(plan.tasks, ElementsAre(0u, 2u, 9u));
}

TEST(Tasks, AChosenPlanHasFewTasksAndLargeOnes) {
  EXPECT_EQ(plan_tasks({0}, 100, 0).points_of_task, kLeastPoints);
  EXPECT_EQ(plan_tasks({0}, 1'000'000, 0).points_of_task, 1'000'000u / kMaxTasks);
}

TEST(Tasks, CommandsAreSafeWordsForAShell) {
  TaskContext context{"/opt/kb/kernbench", "/a b/it's.yaml", "/out $x", "abc", 0};
  EXPECT_EQ(shell_word("it's"), "'it'\\''s'");
  const std::string command = task_command(context, {5, {0}}, "{}", "2");
  EXPECT_EQ(command,
            "'/opt/kb/kernbench' sweep '/a b/it'\\''s.yaml' --out '/out $x' --identity abc --quiet --task {} "
            "--points-per-task 5 --jobs 2");
  EXPECT_THAT(collect_command(context, true), HasSubstr("--collect --plot"));
  context.attempt = 3;
  EXPECT_THAT(task_command(context, {5, {0}}, "{}", ""), HasSubstr("--points-per-task 5 --attempt 3"));
}

TEST(Tasks, OutsideProgramsTellWhatTheySaid) {
  const ProgramOutput said = run_program({"sh", "-c", "cat; echo oops >&2; exit 3"}, "in");
  EXPECT_EQ(said.code, 3);
  EXPECT_EQ(said.output, "in");
  EXPECT_EQ(said.words(), "oops");
  EXPECT_THAT(run_program({"kb-no-such-program"}).not_started, HasSubstr("No such file"));
}

}  // namespace
}  // namespace kb::sweep
