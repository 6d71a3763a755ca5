// Options that say which model runs on which profile.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "platform/base/error.h"
#include "sim/study/requests/bundle.h"
#include "sim/study/requests/model_file.h"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace kb::cli {

class FileRoles;

class ProfileChoice {
 public:
  // `required`: --profile has to be given.
  void add_options(CLI::App& app, bool required = true);
  bool given() const { return !folder_.empty(); }
  // The first option that says something of a profile and was given; "" when there is none.
  std::string own_option() const;
  // Reads the files. Configuration Error with their problems, usage Error where links are missing.
  void load();
  void add_roles(FileRoles& roles) const;

  const std::string& folder() const { return folder_; }
  requests::Bundle& bundle() { return bundle_; }
  const std::string& model_name() const { return model_file_; }  // as given, or its file after load()
  const profile::ServedModel& model() const { return model_; }
  std::int64_t tp() const { return static_cast<std::int64_t>(tp_); }  // as given
  profile::Ranks ranks() const { return ranks_; }
  const profile::RankLinks& links() const { return links_; }
  bool has_cluster() const { return !cluster_file_.empty(); }
  const requests::Cluster& cluster() const { return cluster_; }

 private:
  void compare_models(bool shipped);
  void choose_ranks();
  void choose_links();

  std::string folder_, model_file_, cluster_file_;
  std::uint64_t tp_ = 1, ep_ = 1;
  profile::RankLinks links_;
  CLI::Option *tp_option_ = nullptr, *ep_option_ = nullptr, *latency_option_ = nullptr, *link_option_ = nullptr,
              *memory_option_ = nullptr;
  requests::Bundle bundle_;
  requests::Cluster cluster_;
  profile::ServedModel model_;
  profile::Ranks ranks_;
};

}  // namespace kb::cli
