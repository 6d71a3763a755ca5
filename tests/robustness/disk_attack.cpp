// Disks that are too small, and files that may not grow.
#include <sched.h>
#include <sys/mount.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "tests/robustness/output_job.h"
#include "tests/robustness/session.h"

namespace kb::robustness {
namespace {

constexpr std::size_t kPage = 4096;
bool g_may_mount = false;  // set before any thread

class SmallDisk {
 public:
  SmallDisk(std::string folder, std::size_t bytes) : folder_(std::move(folder)) {
    std::filesystem::create_directories(folder_);
    mounted_ = ::mount("tmpfs", folder_.c_str(), "tmpfs", 0, ("size=" + std::to_string(bytes)).c_str()) == 0;
  }
  ~SmallDisk() {
    if (mounted_) ::umount2(folder_.c_str(), MNT_DETACH);
  }
  SmallDisk(const SmallDisk&) = delete;
  SmallDisk& operator=(const SmallDisk&) = delete;

 private:
  std::string folder_;
  bool mounted_ = false;
};

// The inputs themselves have to fit; whole pages, and one for what the file system keeps.
std::size_t room_for_inputs(const AttackCase& attack) {
  std::size_t pages = 0;
  for (const auto& [name, text] : attack.files) pages += 2 + text.size() / kPage;
  return pages * kPage;
}

std::vector<Verdict> judge_disk(const OutputJob& job, const AttackCase& attack, const Trial& trial,
                                const Setup& setup) {
  std::vector<Verdict> verdicts = judge_files(job, attack, trial, false);
  using Judge = Finding (*)(const AttackCase&, const Trial&, const Setup&);
  for (const auto& [name, function] : std::vector<std::pair<const char*, Judge>>{{"signal", judge_signal},
                                                                                 {"exit code", judge_exit_code},
                                                                                 {"time", judge_time},
                                                                                 {"message", judge_message}}) {
    if (const Finding found = function(attack, trial, setup))
      verdicts.push_back({name, job.name + ", small disk: " + *found});
  }
  return verdicts;
}

}  // namespace

void prepare_small_disks(Report& report, bool wanted) {
  if (!wanted) return;
  g_may_mount = ::unshare(CLONE_NEWNS) == 0 && ::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0;
  if (!g_may_mount) report.skip("small disks", std::string("no mount namespace of its own: ") + std::strerror(errno));
}

void attack_disks(const Session& session, std::uint64_t count) {
  const std::vector<OutputJob>& jobs = session.outputs;
  session.for_each("disks", count, [&](std::uint64_t index, const std::string& folder) {
    Random random = Random::of_case(session.seed, "disks", index);
    const OutputJob& job = random.pick(jobs);
    AttackCase attack = random.chance(40) ? with_earlier_files(job) : job.attack;
    const std::size_t bytes = room_for_inputs(attack) + kPage * random.between(16, 256);
    Setup setup = session.setup;
    TrialOptions options;
    std::error_code ignored;
    std::filesystem::remove_all(folder, ignored);
    if (g_may_mount && index % 2 == 0) {
      const SmallDisk disk(folder, bytes);
      attack.notes.push_back("on a tmpfs of " + std::to_string(bytes) + " bytes");
      prepare_folder(folder, attack);
      options.prepare = false;
      const Trial trial = carry_out(setup, attack, folder, options);
      session.report->add(session.id("disks", index), attack, trial, judge_disk(job, attack, trial, session.setup));
      return;
    }
    setup.limits.file_bytes = random.between(1, 300000);
    attack.notes.push_back("with ulimit -f for " + std::to_string(setup.limits.file_bytes) + " bytes");
    const Trial trial = carry_out(setup, attack, folder, options);
    std::vector<Verdict> verdicts = judge_disk(job, attack, trial, session.setup);
    for (const Verdict& verdict : judge_next_run(job, attack, trial, session.setup)) verdicts.push_back(verdict);
    session.report->add(session.id("disks", index), attack, trial, verdicts);
  });
}

}  // namespace kb::robustness
