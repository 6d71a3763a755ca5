// Lists the runs below a folder with untrusted contents.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <mutex>
#include <string>
#include <vector>

namespace kb::analysis {

// True when a file or folder exists below `folder` after symbolic links are resolved.
bool lies_below(const std::filesystem::path& folder, const std::filesystem::path& file);

// Text that changes when the files of the run in `run`, which is below `folder`, change. Configuration Error when one
// is a symbolic link that leads out of `folder`.
std::string run_state(const std::filesystem::path& folder, const std::filesystem::path& run);

// The name of a run is the path from the folder to the run's folder, with '/'. Symbolic links that lead out of the
// folder are not followed. All functions may be called by any thread.
class RunList {
 public:
  static constexpr int kMostDepth = 5;
  static constexpr std::size_t kMostRuns = 10'000, kMostFolders = 200'000;

  explicit RunList(const std::string& folder);

  // Searches the folder again. Returns the number of runs.
  std::size_t look();

  // {"folder", "runs": [...], "unread", "cut"}, the newest run first. Results are read, the newest first, for at most
  // `seconds`; `unread` is the number of runs with only a name and a date. `cut` is a sentence when there are more runs
  // than are listed. `look_again`: calls look() first.
  std::string json(double seconds, bool look_again = true);

  struct Place {
    std::string folder;
    std::string state;  // run_state(), and the folder
  };
  // Configuration Error when there is no such run, or a file of it leads out of the folder.
  Place place_of(const std::string& name) const;

 private:
  struct Run {
    std::int64_t time_ns = 0;  // time of the last change of its result
    std::int64_t bytes = 0;
    bool recorded = false;
    std::string summary;  // members of a JSON object; empty: not read yet
  };
  void look_through();  // the caller holds the mutex
  bool find_below(const std::filesystem::path& folder, const std::string& name, int depth, std::size_t& folders,
                  std::map<std::string, Run>& found) const;
  std::vector<std::map<std::string, Run>::iterator> newest_first();

  std::filesystem::path root_;  // without symbolic links
  std::string name_;
  std::mutex mutex_;
  std::map<std::string, Run> runs_;
  bool cut_ = false;
};

}  // namespace kb::analysis
