#include "platform/model/json_tree.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "platform/base/printable.h"
#include "platform/base/text_kind.h"

namespace kb::model {
namespace {

using Sax = nlohmann::json_sax<nlohmann::json>;

const char* const kRemedy = "give the file as it was published";

// Reads a text and tells how much of it was read, which is where the parser stands.
class CountingIterator {
 public:
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;

  CountingIterator(const char* at, const char** reached) : at_(at), reached_(reached) {}
  reference operator*() const { return *at_; }
  CountingIterator& operator++() {
    ++at_;
    *reached_ = at_;
    return *this;
  }
  friend bool operator==(const CountingIterator& a, const CountingIterator& b) { return a.at_ == b.at_; }
  friend bool operator!=(const CountingIterator& a, const CountingIterator& b) { return a.at_ != b.at_; }

 private:
  const char* at_;
  const char** reached_;
};

class TreeBuilder final : public Sax {
 public:
  TreeBuilder(const std::string& text, const std::string& file, const char* const* reached)
      : text_(text), file_(file), reached_(reached) {}

  bool null() override { return add({}); }
  bool boolean(bool value) override {
    JsonNode node = of_kind(JsonNode::Kind::boolean);
    node.boolean = value;
    return add(std::move(node));
  }
  bool number_integer(number_integer_t value) override { return add_integer(value); }
  bool number_unsigned(number_unsigned_t value) override {
    if (value > static_cast<number_unsigned_t>(std::numeric_limits<std::int64_t>::max())) {
      throw_at(reached(), "an integer is too large", "use one below 2^63");
    }
    return add_integer(static_cast<std::int64_t>(value));
  }
  bool number_float(number_float_t value, const string_t& written) override {
    JsonNode node = of_kind(JsonNode::Kind::real);
    node.real = value;
    node.text = written;
    return add(std::move(node));
  }
  bool string(string_t& value) override {
    JsonNode node = of_kind(JsonNode::Kind::text);
    node.text = value;
    return add(std::move(node));
  }
  bool binary(binary_t&) override { return false; }
  bool start_object(std::size_t) override { return open(JsonNode::Kind::object); }
  bool start_array(std::size_t) override { return open(JsonNode::Kind::list); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }
  bool key(string_t& name) override {
    JsonNode& object = *open_.back();
    const std::size_t begin = begin_of_string();
    if (!keys_.back().insert(name).second) throw_at(begin, "the key is there twice", "leave one of them out", name);
    const auto [line, column] = position(begin);
    object.members.push_back({name, line, column, {}});
    return true;
  }
  bool parse_error(std::size_t at, const std::string&, const nlohmann::json::exception& error) override {
    std::string reason = error.what();  // "[json.exception...] parse error at line 1, column 2: syntax error ... - ..."
    if (const std::size_t dash = reason.find(" - "); dash != std::string::npos) {
      reason.erase(0, dash + 3);
    } else if (const std::size_t end = reason.find("] "); end != std::string::npos) {
      reason.erase(0, end + 2);
    }
    throw_at(at == 0 ? 0 : at - 1, "is not JSON: " + reason, kRemedy);
  }

  JsonNode take() { return std::move(root_); }

 private:
  static JsonNode of_kind(JsonNode::Kind kind) {
    JsonNode node;
    node.kind = kind;
    return node;
  }
  bool add_integer(std::int64_t value) {
    JsonNode node = of_kind(JsonNode::Kind::integer);
    node.integer = value;
    node.real = static_cast<double>(value);
    node.text = std::to_string(value);
    return add(std::move(node));
  }
  JsonNode& place(JsonNode node) {
    if (open_.empty()) return root_ = std::move(node);
    JsonNode& parent = *open_.back();
    if (parent.kind == JsonNode::Kind::list) return parent.items.emplace_back(std::move(node));
    return parent.members.back().value.emplace_back(std::move(node));
  }
  bool add(JsonNode node) {
    if (open_.empty()) throw_at(0, "the outermost value is not an object", kRemedy);
    place(std::move(node));
    return true;
  }
  // Pointers in `open_` stay valid, because only the innermost value grows.
  bool open(JsonNode::Kind kind) {
    if (open_.empty() && kind != JsonNode::Kind::object) throw_at(0, "the outermost value is not an object", kRemedy);
    if (open_.size() == kDeepestJson)
      throw_at(reached(), fmt::format("is nested more than {} deep", kDeepestJson), kRemedy);
    open_.push_back(&place(of_kind(kind)));
    keys_.emplace_back();
    return true;
  }
  bool close() {
    open_.pop_back();
    keys_.pop_back();
    return true;
  }

  std::size_t reached() const { return static_cast<std::size_t>(*reached_ - text_.data()); }
  // The parser stands behind the closing quotation mark; a mark inside a string has an odd number of backslashes.
  std::size_t begin_of_string() const {
    std::size_t at = reached() - 2;
    while (at > 0 && (text_[at] != '"' || backslashes_before(at) % 2 == 1)) --at;
    return at;
  }
  std::size_t backslashes_before(std::size_t at) const {
    std::size_t count = 0;
    while (count < at && text_[at - 1 - count] == '\\') ++count;
    return count;
  }
  std::pair<int, int> position(std::size_t at) const {
    const std::string_view before = std::string_view(text_).substr(0, at);
    const auto line = 1 + std::count(before.begin(), before.end(), '\n');
    const std::size_t begin = before.rfind('\n') == before.npos ? 0 : before.rfind('\n') + 1;
    return {static_cast<int>(line), static_cast<int>(before.size() - begin + 1)};
  }
  [[noreturn]] void throw_at(std::size_t at, const std::string& message, const std::string& remedy,
                             const std::string& key = "") const {
    const auto [line, column] = position(std::min(at, text_.size()));
    throw Error({Diagnostic{file_, line, column, key, message, remedy}});
  }

  const std::string& text_;
  const std::string& file_;
  const char* const* reached_;
  JsonNode root_;
  std::vector<JsonNode*> open_;
  std::vector<std::set<std::string>> keys_;  // of each open value
};

// Refuses files that are not JSON at all.
void check_kind(const std::string& text, const std::string& file) {
  if (text.find_first_not_of(" \t\r\n") == std::string::npos) {
    throw Error({Diagnostic{file, 0, 0, "", "is empty", kRemedy}});
  }
  check_text_kind(file, text);
}

}  // namespace

const JsonNode& JsonMember::node() const {
  return value.front();
}

const JsonMember* JsonNode::find(std::string_view key) const {
  const auto found =
      std::find_if(members.begin(), members.end(), [key](const JsonMember& member) { return member.key == key; });
  return found == members.end() ? nullptr : &*found;
}

std::string JsonNode::described() const {
  switch (kind) {
    case Kind::null:
      return "null";
    case Kind::boolean:
      return boolean ? "true" : "false";
    case Kind::integer:
    case Kind::real:
      return text;
    case Kind::text:
      return "\"" + printable_line(text) + "\"";
    case Kind::list:
      return "a list";
    case Kind::object:
      return "an object";
  }
  return "";
}

JsonNode parse_json_tree(const std::string& text, const std::string& file) {
  check_kind(text, file);
  const char* reached = text.data();
  TreeBuilder builder(text, file, &reached);
  nlohmann::json::sax_parse(CountingIterator(text.data(), &reached),
                            CountingIterator(text.data() + text.size(), &reached), &builder);
  return builder.take();
}

}  // namespace kb::model
