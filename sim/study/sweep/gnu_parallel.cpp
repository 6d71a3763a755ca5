#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>

#include "platform/base/error.h"
#include "platform/observe/output_file.h"
#include "sim/study/files/files.h"
#include "sim/study/sweep/outside_program.h"
#include "sim/study/sweep/tasks.h"

namespace kb::sweep {
namespace {

constexpr int kTries = 4;  // tries per task, each on another host
// A host that is switched off does not answer.
constexpr const char* kSsh =
    "ssh -o BatchMode=yes -o ConnectTimeout=20 -o ServerAliveInterval=15 -o ServerAliveCountMax=4";

void require_gnu_parallel() {
  const ProgramOutput said = run_program({"parallel", "--version"});
  if (said.not_started.empty() && said.output.compare(0, 3, "GNU") == 0) return;
  throw Error::configuration("GNU parallel is not there (" +
                             (said.not_started.empty() ? "another program has its name" : said.words()) +
                             "); install it (Debian: parallel), or use --on local");
}

}  // namespace

std::string run_with_parallel(const TaskContext& context, const TaskPlan& plan, const std::string& hosts, int jobs,
                              const std::function<void()>& tick) {
  require_gnu_parallel();
  const std::string folder = context.folder + "/parallel";
  observe::make_folder(folder);
  std::vector<std::string> command{
      "parallel", "--will-cite",          "--plain",   "--jobs",      "1", fmt::format("--retries={}", kTries),
      "--joblog", folder + "/joblog.txt", "--workdir", context.folder};
  const bool file = std::filesystem::is_regular_file(hosts);
  command.emplace_back(file ? "--sshloginfile" : "--sshlogin");
  command.push_back(file ? std::filesystem::absolute(hosts).string() : hosts.empty() ? ":" : hosts);
  if (std::getenv("PARALLEL_SSH") == nullptr) command.insert(command.end(), {"--ssh", kSsh});
  command.push_back(task_command(context, plan, "{}", jobs > 0 ? std::to_string(jobs) : ""));
  std::string tasks;
  for (const std::uint64_t task : plan.tasks) tasks += std::to_string(task) + "\n";
  const ProgramOutput said = run_program(command, tasks, tick);
  const std::string messages = folder + "/messages.txt";
  files::write_file(messages, said.output + said.messages, "what the tasks have printed");
  // Up to 100, the number of failed tasks. Their points are missing in the table.
  constexpr int kMaxTold = 101;
  if (!said.not_started.empty() || said.code > kMaxTold) {
    throw Error::configuration("GNU parallel failed: " + said.words() + "; finished points are kept");
  }
  return said.code == 0 ? std::string() : fmt::format("tasks have failed on every host, {} tells why", messages);
}

}  // namespace kb::sweep
