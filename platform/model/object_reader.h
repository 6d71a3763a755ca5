// Typed access to the keys of a JSON object, with every problem reported at its line.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "platform/model/json_tree.h"

namespace kb::model {

// Problems of one file: errors, and warnings that do not stop.
struct Problems {
  std::string file;
  std::vector<Diagnostic> errors;
  std::vector<Diagnostic> warnings;
  std::vector<std::string> known = {};  // keys with a meaning, which are no misspelling of others
};

struct WholeRange {
  std::int64_t low = 1;
  std::int64_t high = 1;
};

// A key whose value is null counts as missing. A wrong value is reported, and a value in the range takes its place, so
// that the remaining keys can be read.
class ObjectReader {
 public:
  // Both outlive the reader.
  ObjectReader(const JsonNode& object, Problems& problems) : object_(object), problems_(problems) {}
  // Reads an object that is the value of a key of another one, which has it.
  ObjectReader(const ObjectReader& outer, const std::string& key);

  // The value of a key that is there and not null.
  const JsonNode* value(const std::string& key);
  std::optional<std::int64_t> whole(const std::string& key, WholeRange range);
  std::int64_t required_whole(const std::string& key, WholeRange range);
  std::optional<double> real(const std::string& key, double low, double high);
  bool flag(const std::string& key, bool missing);
  std::optional<std::string> text(const std::string& key);
  std::vector<std::int64_t> wholes(const std::string& key, WholeRange range);  // a list; empty when missing

  void error(const std::string& key, const std::string& message, const std::string& remedy = "");
  void warn(const std::string& key, const std::string& message, const std::string& remedy = "");
  // Reports a missing key; the nearest unknown key that nothing has read is named.
  void missing(const std::string& key, const std::string& remedy = "");
  bool has(const std::string& key) const;
  // Members that nothing has read, in the order of the file.
  std::vector<const JsonMember*> unread() const;
  Problems& problems() { return problems_; }

 private:
  Diagnostic diagnostic(const std::string& key, const std::string& message, const std::string& remedy) const;

  const JsonNode& object_;
  Problems& problems_;
  std::string prefix_;                   // before keys in messages: "rope_scaling."
  const JsonMember* outside_ = nullptr;  // whose value the object is: where a missing key would stand
  std::set<std::string> read_;
};

}  // namespace kb::model
