#include "sim/cli/profile_choice.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cctype>
#include <filesystem>

#include "sim/cli/arguments.h"
#include "sim/cli/file_roles.h"
#include "sim/cli/program.h"
#include "sim/cli/shipped_models.h"

namespace kb::cli {

namespace {

// "llama-3.1-8b" of "meta-llama/Llama-3.1-8B".
std::string last_name(const std::string& name) {
  std::string last = std::filesystem::path(name).filename().string();
  std::transform(last.begin(), last.end(), last.begin(), [](unsigned char c) { return std::tolower(c); });
  return last;
}

}  // namespace

void ProfileChoice::add_options(CLI::App& app, bool required) {
  constexpr std::uint64_t kMostRanks = 4096;
  constexpr double kMostNs = 1e9, kMostRate = 1e6, kLeastRate = 1e-3;
  app.add_option("--profile", folder_, "Folder of a profile in LLMServingSim's layout: meta.yaml, tp1/dense.csv, ...")
      ->type_name("DIR")
      ->required(required);
  app.add_option("--model", model_file_,
                 "config.json of a Hugging Face model, its folder, or the name of a shipped model")
      ->type_name("MODEL")
      ->required();
  app.add_option("--cluster", cluster_file_, "Cluster file of LLMServingSim: ranks, links, memory")->type_name("FILE");
  tp_option_ =
      add_whole_option(app, "--tp", tp_, 1, kMostRanks, "Tensor parallel ranks (default: 1, or the cluster's)");
  ep_option_ = add_whole_option(app, "--ep", ep_, 1, kMostRanks,
                                "Ranks of the experts (default: the cluster's, or as --tp for a mixture of experts)");
  latency_option_ = add_real_option(app, "--link-latency-ns", links_.latency_ns, 0, kMostNs,
                                    "With several ranks: latency of a link between them")
                        ->type_name("NS");
  link_option_ = add_real_option(app, "--link-gib-s", links_.link_gib_s, kLeastRate, kMostRate,
                                 "With several ranks: rate of a link, in 2^30 bytes per second")
                     ->type_name("RATE");
  memory_option_ = add_real_option(app, "--memory-gb-s", links_.memory_gb_s, kLeastRate, kMostRate,
                                   "With several ranks: rate of the memory that sums pass, in 10^9 bytes per second")
                       ->type_name("RATE");
}

std::string ProfileChoice::own_option() const {
  if (given()) return "--profile";
  if (has_cluster()) return "--cluster";
  for (const CLI::Option* const option : {ep_option_, latency_option_, link_option_, memory_option_}) {
    if (option->count() > 0) return option->get_name();
  }
  return "";
}

void ProfileChoice::load() {
  const std::string given = model_file_;
  model_file_ = model_file(given);
  model_ = requests::read_model(model_file_);
  if (has_cluster()) cluster_ = requests::read_cluster(cluster_file_);
  choose_ranks();
  bundle_ = requests::read_bundle(folder_, ranks_.tp);
  if (!cluster_.hardware.empty()) bundle_.profile.hardware = cluster_.hardware;
  compare_models(given != model_file_);
  if (!bundle_.profile.model.empty()) model_.name = bundle_.profile.model;
  choose_links();
}

// Names are compared where the model has one: in its file, or as a shipped one.
void ProfileChoice::compare_models(bool shipped) {
  if (model_.experts > 0 && bundle_.profile.experts.empty()) {
    throw Error({Diagnostic{folder_, 0, 0, "", "the model is a mixture of experts, and the profile has no moe.csv",
                            "give a profile of this model"}});
  }
  const std::filesystem::path file(model_file_);
  const bool named = model_.name != model_.type, by_file = shipped && file.filename() != "config.json";
  if (!named && !by_file) return;
  const std::string own = named ? model_.name : file.stem().string(), measured = bundle_.profile.model;
  const std::string one = last_name(own), other = last_name(measured);
  if (one.find(other) != std::string::npos || other.find(one) != std::string::npos) return;
  bundle_.warnings.push_back({folder_ + "/meta.yaml", 0, 0, "model",
                              fmt::format("the profile was measured for {}, and --model is {}", measured, own),
                              "the times are those of the profile; give the same model, or another profile"});
}

void ProfileChoice::choose_ranks() {
  ranks_.tp = tp_option_->count() > 0 || !has_cluster() ? static_cast<std::int64_t>(tp_) : cluster_.ranks.tp;
  ranks_.ep = ep_option_->count() > 0 ? static_cast<std::int64_t>(ep_) : has_cluster() ? cluster_.ranks.ep : 0;
  const bool moe = model_.experts > 0;
  if (ranks_.ep == 0) ranks_.ep = moe ? ranks_.tp : 1;
  if (!moe && ranks_.ep > 1) throw usage_error("--ep is for a mixture of experts, which this model is not");
  if (ranks_.ep > ranks_.tp || (moe && model_.experts % ranks_.ep != 0)) {
    throw usage_error(fmt::format("--ep {} has to be at most --tp {} and to divide the {} experts", ranks_.ep,
                                  ranks_.tp, model_.experts));
  }
  if (model_.heads % ranks_.tp != 0) {
    throw usage_error(fmt::format("--tp {} does not divide the {} heads of the model", ranks_.tp, model_.heads));
  }
}

void ProfileChoice::choose_links() {
  if (has_cluster()) {
    if (latency_option_->count() == 0) links_.latency_ns = cluster_.links.latency_ns;
    if (link_option_->count() == 0) links_.link_gib_s = cluster_.links.link_gib_s;
    if (memory_option_->count() == 0) links_.memory_gb_s = cluster_.links.memory_gb_s;
  }
  if (ranks_.tp == 1) return;
  if (!has_cluster() && latency_option_->count() == 0) links_.latency_ns = -1.0;
  if (links_.link_gib_s <= 0.0 || links_.memory_gb_s <= 0.0 || links_.latency_ns < 0.0) {
    throw usage_error(
        "with several ranks their links have to be known: give --cluster, or --link-latency-ns, --link-gib-s and "
        "--memory-gb-s");
  }
}

void ProfileChoice::add_roles(FileRoles& roles) const {
  roles.reads("--model", model_file_);
  roles.reads("--cluster", cluster_file_);
}

}  // namespace kb::cli
