// The one folder inside an output folder that kernbench makes, fills and removes.
#pragma once

#include <string>

namespace kb::evaluate {

// OUT/.kernbench-staging with a marker file in it. It holds rows (row-*) and folders of runs (run-*). Only files of
// these names go, and only inside; symbolic links are not followed.
class WorkFolder {
 public:
  // Makes it, or takes up what an earlier call has left: its rows stay, the rest goes. Configuration Error when
  // something of this name was not made by kernbench.
  explicit WorkFolder(const std::string& out);
  // Leaves the folder when there are rows, to go on from.
  ~WorkFolder();
  WorkFolder(const WorkFolder&) = delete;
  WorkFolder& operator=(const WorkFolder&) = delete;

  const std::string& path() const { return path_; }
  std::string row_file(const std::string& id) const { return path_ + "/row-" + id + ".json"; }
  // Configuration Error when it cannot be made. One per process, so that a run that outlives a killed evaluation for a
  // moment does not write into its successor's.
  std::string make_run_folder(const std::string& id) const;
  void remove_run_folder(const std::string& id) const noexcept;
  void remove_rows() const noexcept;

 private:
  void take_up();

  std::string path_;
  int directory_ = -1;
};

}  // namespace kb::evaluate
