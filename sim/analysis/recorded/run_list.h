// The runs below a folder, in which anybody may have put anything.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <mutex>
#include <string>
#include <vector>

namespace kb::analysis {

// Whether a file or folder lies below `folder`, wherever symbolic links lead. False for one that there is not.
bool lies_below(const std::filesystem::path& folder, const std::filesystem::path& file);

// The files of a run in `run`, which lies below `folder`, as a text that is another one when they have changed.
// Configuration Error when one is a symbolic link that leads out of `folder`.
std::string run_state(const std::filesystem::path& folder, const std::filesystem::path& run);

// A run is named by the path from the folder to its own, with '/'. Symbolic links that lead out of the folder are not
// followed. Any thread may call.
class RunList {
 public:
  static constexpr int kMostDepth = 5;
  static constexpr std::size_t kMostRuns = 10'000, kMostFolders = 200'000;

  explicit RunList(const std::string& folder);

  // Looks through the folder again. Returns how many runs there are.
  std::size_t look();

  // {"folder", "runs": [...], "unread", "cut"}, the newest run first. Results are read, the newest first, until `seconds`
  // are over; `unread` of the runs have a name and a date only. `cut` is a sentence when there are more runs than are
  // listed. `look_again`: as look().
  std::string json(double seconds, bool look_again = true);

  struct Place {
    std::string folder;
    std::string state;  // run_state(), and the folder
  };
  // Configuration Error when there is no such run, or a file of it leads out of the folder.
  Place place_of(const std::string& name) const;

 private:
  struct Run {
    std::int64_t time_ns = 0;  // of the last change of its result
    std::int64_t bytes = 0;
    bool recorded = false;
    std::string summary;  // members of a JSON object; empty: not read yet
  };
  void look_through();  // with the mutex
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
