// Typed reading of a YAML tree: every access states the key's type, bounds and default. Problems are collected, so that
// a user sees all of them at once; every value is recorded with its origin.
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "platform/base/bounds.h"
#include "platform/base/error.h"
#include "platform/base/quantities.h"
#include "platform/topology/topology.h"
#include "platform/topology/yaml_tree.h"

namespace kb::topology {

class Implementations;
class KeyRecord;

// State that all readers of one file share.
class ReadContext {
 public:
  explicit ReadContext(std::string file);
  // `implementations` are accepted in addition to the built-in ones.
  ReadContext(std::string file, const Implementations& implementations)
      : file_(std::move(file)), implementations_(implementations) {}
  const Implementations& implementations() const { return implementations_; }
  // Also records all requested keys in `record`, from now on.
  void record_into(KeyRecord& record) { record_ = &record; }
  KeyRecord* record() const { return record_; }

  // Reports a problem at a mark, or at "--set" when the value came from there.
  void report(yaml::Mark mark, bool from_override, const std::string& key, const std::string& message,
              const std::string& remedy);
  // Reports a violated rule over several keys, at the first of them that the user set (or else at the first one). It is
  // not reported when one of the keys is itself wrong. Keys are dotted paths.
  void report_rule(const std::vector<std::string>& keys, const std::string& message, const std::string& remedy);
  void warn_rule(const std::vector<std::string>& keys, const std::string& message, const std::string& remedy);
  // Diagnostic without a message, at the position of the first key that the user set (or else with the first key's
  // name).
  Diagnostic place(const std::vector<std::string>& keys) const;
  void mark_bad(const std::string& path) { bad_.insert(path); }
  // True when a problem of the path or of an enclosing mapping was reported.
  bool is_bad(const std::string& path) const;
  // True when a problem of a key inside of this mapping was reported.
  bool has_bad_below(const std::string& path) const;
  // True when the file or --set sets the key.
  bool given(const std::string& path) const { return given_.count(path) != 0; }

  void note_given(const std::string& path, yaml::Mark mark, bool from_override);
  void note_value(const std::string& path, const std::string& text, bool from_override);
  // Records the description of a key whose value is recorded.
  void describe(const std::string& path, const std::string& text);
  void note_rule(const std::string& path, const KeyRule& rule);
  void note_known(const std::string& path) { known_.insert(path); }
  void note_unknown(const yaml::Entry& entry, const std::string& parent, const std::vector<std::string>& siblings);
  // Reports the unknown keys. Called after the whole schema was read, so that keys at a wrong level are recognised.
  void finish_unknown();

  const std::string& file() const { return file_; }
  std::vector<Diagnostic>& diagnostics() { return diagnostics_; }
  // All problems; those beyond kMaxProblems are only counted, in an additional line.
  std::vector<Diagnostic> problems() const;
  std::vector<Diagnostic>& warnings() { return warnings_; }
  std::map<std::string, ConfigValue>& config() { return config_; }
  std::map<std::string, KeyRule>& rules() { return rules_; }

 private:
  struct Given {
    yaml::Mark mark;
    bool from_override = false;
  };
  struct Unknown {
    std::string key, parent;
    yaml::Mark mark;
    bool from_override = false;
    std::vector<std::string> siblings;
  };
  std::optional<Diagnostic> rule(const std::vector<std::string>& keys, const std::string& message,
                                 const std::string& remedy) const;
  void add(Diagnostic problem);

  std::string file_;
  const Implementations& implementations_;
  std::vector<Diagnostic> diagnostics_, warnings_;
  std::map<std::string, ConfigValue> config_;
  std::map<std::string, KeyRule> rules_;
  std::map<std::string, Given> given_;
  std::set<std::string> bad_, known_;
  std::vector<Unknown> unknown_;
  std::size_t left_out_ = 0;
  KeyRecord* record_ = nullptr;
};

// Reads one mapping. A missing mapping is read as an empty one. A key without a default is mandatory.
class MapReader {
 public:
  // Reader of the document's top level.
  MapReader(ReadContext& context, const yaml::ValuePtr& root);
  // Reader of a mapping that the file omits: every key has its default.
  static MapReader absent(ReadContext& context, const std::string& path) {
    return MapReader(context, path, nullptr, {}, false);
  }

  double real(const std::string& key, std::optional<double> fallback, const Bounds& bounds);
  Bandwidth bandwidth(const std::string& key, double fallback_gbs, const Bounds& bounds = kb::bandwidth()) {
    return Bandwidth(real(key, fallback_gbs, bounds));
  }
  // Returns no value when the key is absent.
  std::optional<double> given_real(const std::string& key, const Bounds& bounds);
  // `examples`: values worth a trial beside half and double.
  std::int64_t whole(const std::string& key, std::optional<std::int64_t> fallback, const Bounds& bounds,
                     const std::vector<std::string>& examples = {});
  bool flag(const std::string& key, bool fallback);
  // `examples`: values worth a trial.
  std::string text(const std::string& key, std::optional<std::string> fallback,
                   const std::vector<std::string>& examples = {});
  // Returns the index of the word in `words`.
  std::size_t choice(const std::string& key, std::optional<std::size_t> fallback,
                     const std::vector<std::string>& words);
  // Reads a list of distinct elements of `words`, as indices.
  std::vector<std::size_t> choices(const std::string& key, const std::vector<std::size_t>* fallback,
                                   const std::vector<std::string>& words);
  std::pair<double, double> pair(const std::string& key, std::optional<std::pair<double, double>> fallback,
                                 const Bounds& bounds, const std::string& example = "1.5, 5.5");
  // Reads a mandatory list of any length.
  std::vector<double> reals(const std::string& key, const Bounds& bounds);
  std::vector<std::string> words(const std::string& key, const std::string& example = "r0c0, r0c1");
  MapReader map(const std::string& key);
  // Reads a list of mappings; more than `most` entries are a problem.
  std::vector<MapReader> list_of_maps(const std::string& key, std::size_t most, const std::string& what);
  // Reads any scalar, with the type that YAML gives it.
  params::Value any_scalar(const std::string& key);

  // Accepts the key without reading it.
  void allow(const std::string& key) { asked_.push_back(key); }
  bool has(const std::string& key) const;
  bool has_map(const std::string& key) const { return has(key) && value_->find(key)->value->kind == yaml::Kind::map; }
  std::vector<std::string> keys() const;
  std::string path(const std::string& key) const;
  const std::string& path() const { return path_; }
  ReadContext& context() { return *context_; }
  // Reports a problem at the key's value, or at this mapping when the key is absent.
  void report(const std::string& key, const std::string& message, const std::string& remedy);
  // Reports all keys that were not requested.
  void done();

 private:
  MapReader(ReadContext& context, std::string path, const yaml::ValuePtr& value, yaml::Mark mark, bool from_override);
  // `words`: what can be written, for the message about a mandatory key that is missing.
  const yaml::Value* take(const std::string& key, bool mandatory, const std::string& words = "");
  const yaml::Value* take_scalar(const std::string& key, bool mandatory, const std::string& expected,
                                 const std::string& words = "");
  const yaml::Value* take_list(const std::string& key, bool mandatory, const std::string& example);
  void note(const std::string& key, const KeyRule& rule) const;
  std::optional<double> parse_real(const std::string& key, const yaml::Value& value, const Bounds& bounds);

  ReadContext* context_;
  std::string path_;
  yaml::ValuePtr value_;  // a mapping or null
  yaml::Mark mark_;       // position of the key of this mapping
  bool from_override_ = false;
  bool wrong_ = false;  // the value has another type: do not report missing keys as well
  std::vector<std::string> asked_;
};

std::string number_text(double value);                          // shortest text of the same value
std::string join_words(const std::vector<std::string>& words);  // "a, b"
// "[1.5, 5.5]"
std::string pair_text(double a, double b);

}  // namespace kb::topology
