// meta.yaml of a profile.
#include <fmt/format.h>

#include <filesystem>
#include <optional>

#include "platform/topology/input_file.h"
#include "platform/topology/yaml_tree.h"
#include "sim/study/requests/bundle.h"
#include "sim/study/requests/input_text.h"

namespace kb::requests {
namespace {

namespace yaml = topology::yaml;
namespace fs = std::filesystem;
using profile::BucketAxis;
using profile::SkewFit;

class MetaReader {
 public:
  MetaReader(std::string folder, Problems& problems)
      : folder_(std::move(folder)), file_(folder_ + "/meta.yaml"), problems_(problems) {}

  void read(profile::KernelProfile& profile) {
    std::vector<Diagnostic> diagnostics;
    const std::optional<std::string> text = topology::read_file(file_, "a profile has this file", diagnostics);
    constexpr std::size_t kMostValues = 1'000'000;  // a fit may have its thousands of buckets here
    const yaml::ValuePtr root = text ? yaml::parse(*text, file_, diagnostics, kMostValues) : nullptr;
    for (const Diagnostic& one : diagnostics) {
      problems_.add(file_, static_cast<std::size_t>(one.line), one.key, one.message, one.remedy);
    }
    if (!diagnostics.empty() || root == nullptr) return;
    profile.hardware = word(*root, "hardware");
    profile.model = word(*root, "model");
    profile.variant = word(*root, "variant");
    if (const yaml::Value* const engine = inner(*root, "engine_effective")) {
      profile.max_tokens = whole_number(word(*engine, "max_num_batched_tokens")).value_or(0);
      profile.max_seqs = whole_number(word(*engine, "max_num_seqs")).value_or(0);
    }
    const yaml::Value* const skew = inner(*root, "skew_fit");
    profile.skew_enabled = skew != nullptr && is_true(word(*skew, "enabled"));
    if (profile.skew_enabled) read_skew(*skew, profile);
  }

 private:
  static const yaml::Value* inner(const yaml::Value& parent, std::string_view key) {
    const yaml::Entry* const entry = parent.find(key);
    return entry == nullptr ? nullptr : entry->value.get();
  }
  static std::string word(const yaml::Value& parent, std::string_view key) {
    const yaml::Value* const value = inner(parent, key);
    return value != nullptr && value->kind == yaml::Kind::scalar ? value->text : "";
  }
  static bool is_true(const std::string& text) { return text == "true" || text == "True" || text == "TRUE"; }
  void problem(const yaml::Value& at, const std::string& key, const std::string& message, const std::string& remedy) {
    problems_.add(file_, static_cast<std::size_t>(at.mark.line), key, message, remedy);
  }

  void read_skew(const yaml::Value& skew, profile::KernelProfile& profile) {
    SkewFit::Axes axes = SkewFit::default_axes();
    if (const yaml::Value* const given = inner(skew, "bucket_axes")) {
      read_axis(*given, "n", axes.decodes);
      read_axis(*given, "skew_rate", axes.rate);
      read_axis(*given, "kv_big", axes.longest);
      read_axis(*given, "kp", axes.kv_prefill);
    }
    const yaml::Value* const fits = inner(skew, "per_tp");
    for (auto& [degree, tables] : profile.by_tp) {
      const yaml::Value* const fit = fits == nullptr ? nullptr : inner(*fits, std::to_string(degree));
      if (fit != nullptr) read_fit(*fit, axes, tables.skew);
    }
  }

  void read_axis(const yaml::Value& axes, const std::string& name, BucketAxis& axis) {
    const yaml::Value* const edges = inner(axes, name + "_bins");
    const yaml::Value* const labels = inner(axes, name + "_labels");
    const std::string key = "skew_fit.bucket_axes." + name;
    BucketAxis given;
    for (const yaml::Value* const list : {edges, labels}) {
      if (list != nullptr && list->kind == yaml::Kind::list) continue;
      return problem(axes, key + (list == edges ? "_bins" : "_labels"), "the list is missing", "write a list");
    }
    for (const yaml::ValuePtr& edge : edges->items) {
      const std::optional<double> number = real_number(edge->text);
      if (!number)
        return problem(*edge, key + "_bins", "'" + edge->text + "' is not a number", "write edges of buckets");
      given.edges.push_back(*number);
    }
    for (const yaml::ValuePtr& label : labels->items) given.labels.push_back(label->text);
    if (given.labels.empty() || given.edges.size() != given.labels.size() + 1) {
      return problem(*labels, key,
                     fmt::format("{} labels do not fit {} edges", given.labels.size(), given.edges.size()),
                     "there is one edge more than labels");
    }
    axis = std::move(given);
  }

  void read_fit(const yaml::Value& fit, const SkewFit::Axes& axes, std::optional<SkewFit>& out) {
    const std::string text = word(fit, "alpha_default");
    const std::optional<double> usual = text.empty() ? 0.0 : real_number(text);
    if (!usual) return problem(fit, "alpha_default", "'" + text + "' is not a number", "write a decimal number");
    out.emplace(axes, *usual);
    const std::string table = word(fit, "bucket_table");
    if (!table.empty()) return read_table(fit, table, *out);
    const yaml::Value* const buckets = inner(fit, "alpha_by_bucket");
    if (buckets == nullptr) return;
    for (const yaml::Entry& entry : buckets->entries) {
      const std::optional<double> alpha = real_number(entry.value->text);
      if (alpha) {
        out->add(entry.key, *alpha);
      } else {
        problem(*entry.value, entry.key, "'" + entry.value->text + "' is not a number", "write a decimal number");
      }
    }
  }

  // The table is named relative to the folder; a profile without folders tp1, ... has it beside meta.yaml.
  void read_table(const yaml::Value& fit, const std::string& name, SkewFit& out) {
    std::string file = folder_ + "/" + name;
    if (!fs::exists(file)) file = folder_ + "/" + fs::path(name).filename().string();
    if (!fs::exists(file)) {
      return problem(fit, "bucket_table", "the table " + name + " does not exist", "or set skew_fit.enabled to false");
    }
    NumberTable table(file, {"pc", "n_label", "skew_rate_label", "kv_big_label", "kp_label", "alpha", "n_samples"},
                      problems_);
    while (table.next()) {
      const auto chunk = table.whole(0, 0);
      const auto alpha = table.real(5);
      if (!chunk || !alpha) continue;
      std::string key = std::to_string(*chunk);
      for (std::size_t i = 1; i <= 4; ++i) key += "|" + table.text(i);
      if (!out.add(key, *alpha)) table.problem(0, "the bucket is there twice", "keep one of the rows");
    }
    if (out.size() == 0 && problems_.empty()) {
      problem(fit, "bucket_table", "the table " + name + " has no rows", "or set skew_fit.enabled to false");
    }
  }

  const std::string folder_, file_;
  Problems& problems_;
};

}  // namespace

void read_meta(const std::string& folder, profile::KernelProfile& profile, Problems& problems) {
  MetaReader(folder, problems).read(profile);
}

}  // namespace kb::requests
