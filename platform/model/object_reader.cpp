#include "platform/model/object_reader.h"

#include <fmt/format.h>

#include <algorithm>

#include "platform/base/nearest.h"

namespace kb::model {

ObjectReader::ObjectReader(const ObjectReader& outer, const std::string& key)
    : object_(outer.object_.find(key)->node()),
      problems_(outer.problems_),
      prefix_(outer.prefix_ + key + "."),
      outside_(outer.object_.find(key)) {}

const JsonNode* ObjectReader::value(const std::string& key) {
  read_.insert(key);
  const JsonMember* const member = object_.find(key);
  return member == nullptr || member->node().kind == JsonNode::Kind::null ? nullptr : &member->node();
}

std::optional<std::int64_t> ObjectReader::whole(const std::string& key, WholeRange range) {
  const JsonNode* const node = value(key);
  if (node == nullptr) return std::nullopt;
  if (node->kind == JsonNode::Kind::integer && node->integer >= range.low && node->integer <= range.high) {
    return node->integer;
  }
  error(key, "is " + node->described(), fmt::format("use a whole number from {} to {}", range.low, range.high));
  return range.low;
}

std::int64_t ObjectReader::required_whole(const std::string& key, WholeRange range) {
  const std::optional<std::int64_t> found = whole(key, range);
  if (!found) missing(key);
  return found.value_or(range.low);
}

std::optional<double> ObjectReader::real(const std::string& key, double low, double high) {
  const JsonNode* const node = value(key);
  if (node == nullptr) return std::nullopt;
  if (node->is_number() && node->real >= low && node->real <= high) return node->real;
  error(key, "is " + node->described(), fmt::format("use a number from {} to {}", low, high));
  return low;
}

bool ObjectReader::flag(const std::string& key, bool missing) {
  const JsonNode* const node = value(key);
  if (node == nullptr) return missing;
  if (node->kind != JsonNode::Kind::boolean) error(key, "is " + node->described(), "use true or false");
  return node->boolean;
}

std::optional<std::string> ObjectReader::text(const std::string& key) {
  const JsonNode* const node = value(key);
  if (node == nullptr) return std::nullopt;
  if (node->kind != JsonNode::Kind::text) error(key, "is " + node->described(), "use a text in quotes");
  return node->text;
}

std::vector<std::int64_t> ObjectReader::wholes(const std::string& key, WholeRange range) {
  const JsonNode* const node = value(key);
  if (node == nullptr) return {};
  std::vector<std::int64_t> numbers;
  if (node->kind != JsonNode::Kind::list) error(key, "is " + node->described(), "use a list of whole numbers");
  for (const JsonNode& item : node->items) {
    if (item.kind == JsonNode::Kind::integer && item.integer >= range.low && item.integer <= range.high) {
      numbers.push_back(item.integer);
    } else {
      error(key, "has " + item.described(), fmt::format("use whole numbers from {} to {}", range.low, range.high));
    }
  }
  return numbers;
}

Diagnostic ObjectReader::diagnostic(const std::string& key, const std::string& message,
                                    const std::string& remedy) const {
  const JsonMember* const own = object_.find(key);
  const JsonMember* const member = own != nullptr ? own : outside_;
  if (member == nullptr) return {problems_.file, 0, 0, prefix_ + key, message, remedy};
  return {problems_.file, member->line, member->column, prefix_ + key, message, remedy};
}

void ObjectReader::error(const std::string& key, const std::string& message, const std::string& remedy) {
  problems_.errors.push_back(diagnostic(key, message, remedy));
}

void ObjectReader::warn(const std::string& key, const std::string& message, const std::string& remedy) {
  problems_.warnings.push_back(diagnostic(key, message, remedy));
}

void ObjectReader::missing(const std::string& key, const std::string& remedy) {
  std::vector<std::string> others;
  for (const JsonMember* const member : unread()) {
    const std::vector<std::string>& known = problems_.known;
    if (std::find(known.begin(), known.end(), member->key) == known.end()) others.push_back(member->key);
  }
  const std::string near = nearest_name(key, others);
  const std::string typed = near.empty() ? "" : fmt::format("'{}' is there: did you mean '{}'?", near, key);
  error(key, "is missing", !typed.empty() ? typed : remedy.empty() ? "add it" : remedy);
}

bool ObjectReader::has(const std::string& key) const {
  const JsonMember* const member = object_.find(key);
  return member != nullptr && member->node().kind != JsonNode::Kind::null;
}

std::vector<const JsonMember*> ObjectReader::unread() const {
  std::vector<const JsonMember*> members;
  for (const JsonMember& member : object_.members) {
    if (read_.count(member.key) == 0) members.push_back(&member);
  }
  return members;
}

}  // namespace kb::model
