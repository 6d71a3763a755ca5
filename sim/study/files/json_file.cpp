#include "sim/study/files/json_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <set>
#include <vector>

#include "platform/base/error.h"
#include "platform/topology/input_file.h"

namespace kb::files {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kDeepest = 32;

Error error_in(const std::string& file, const std::string& what) {
  return Error::configuration(file + ": " + what);
}

// Checks everything before values are created, because creating and destroying deeply nested values needs a deep stack.
class Inspector final : public nlohmann::json_sax<Json> {
 public:
  Inspector(const std::string& file, const std::string& text, const std::string& remedy = "", std::size_t line = 0)
      : file_(file), text_(text), remedy_(remedy.empty() ? "" : "; " + remedy), line_(line) {}

  bool null() override { return value(); }
  bool boolean(bool) override { return value(); }
  bool number_integer(number_integer_t) override { return value(); }
  bool number_unsigned(number_unsigned_t) override { return value(); }
  bool number_float(number_float_t, const string_t&) override { return value(); }
  bool string(string_t&) override { return value(); }
  bool binary(binary_t&) override { return value(); }
  bool start_object(std::size_t) override { return open(true); }
  bool start_array(std::size_t) override { return open(false); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }
  bool key(string_t& name) override {
    Level& level = levels_.back();
    level.member = name;
    if (!level.members.insert(name).second) throw error_in(where(), place() + " is there twice");
    return true;
  }

  bool parse_error(std::size_t position, const std::string&, const Json::exception& error) override {
    const std::string_view before = std::string_view(text_).substr(0, position == 0 ? 0 : position - 1);
    const std::size_t line =
        std::max<std::size_t>(1, line_) + static_cast<std::size_t>(std::count(before.begin(), before.end(), '\n'));
    const std::size_t begin = before.rfind('\n') == before.npos ? 0 : before.rfind('\n') + 1;
    throw Error::configuration(
        fmt::format("{}:{}:{}: is not JSON: {}{}", file_, line, before.size() - begin + 1, reason_of(error), remedy_));
  }

 private:
  struct Level {
    bool object;
    std::size_t index = 0;
    std::string member = {};
    std::set<std::string> members = {};
  };

  bool value() {
    if (!levels_.empty()) ++levels_.back().index;
    return true;
  }
  bool open(bool object) {
    if (levels_.size() == kDeepest) {
      throw error_in(where(), fmt::format("{} is nested more than {} deep", place(), kDeepest));
    }
    levels_.push_back({object});
    return true;
  }
  bool close() {
    levels_.pop_back();
    return value();
  }
  std::string where() const { return line_ == 0 ? file_ : fmt::format("{}:{}", file_, line_); }
  std::string place() const {
    std::string text;
    for (const Level& level : levels_) text += "/" + (level.object ? level.member : std::to_string(level.index));
    return text;
  }

  const std::string& file_;
  const std::string& text_;
  std::string remedy_;
  std::size_t line_;  // of the file, where the text begins; 0: the text is the file
  std::vector<Level> levels_;
};

class Descriptor {
 public:
  explicit Descriptor(const std::string& file) : value_(::open(file.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC)) {}
  ~Descriptor() {
    if (value_ >= 0) ::close(value_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int value() const { return value_; }

 private:
  int value_;
};

std::string read_regular(const std::string& file, std::size_t most_bytes) {
  const Descriptor input(file);
  struct stat info {};
  if (input.value() < 0 || ::fstat(input.value(), &info) != 0) {
    throw error_in(file, fmt::format("cannot be read: {} ({})", std::strerror(errno), topology::remedy_of(errno)));
  }
  if (S_ISDIR(info.st_mode)) throw error_in(file, "is a folder, not a JSON file");
  if (!S_ISREG(info.st_mode)) throw error_in(file, "is a pipe or a device, not a JSON file");
  std::string text;
  std::vector<char> part(std::size_t{1} << 16);
  while (true) {
    const ssize_t got = ::read(input.value(), part.data(), part.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0)
      throw error_in(file, fmt::format("cannot be read: {} ({})", std::strerror(errno), topology::remedy_of(errno)));
    if (got == 0) return text;
    text.append(part.data(), static_cast<std::size_t>(got));
    if (text.size() > most_bytes) {
      throw error_in(file, fmt::format("is larger than {} MiB, which none of kernbench is", most_bytes >> 20));
    }
  }
}

}  // namespace

Json parse_json(const std::string& file, const std::string& text, const std::string& remedy, std::size_t line) {
  Inspector inspector(file, text, remedy, line);
  Json::sax_parse(text, &inspector);
  return Json::parse(text);
}

Json read_json(const std::string& file, std::size_t most_bytes, const std::string& remedy) {
  return parse_json(file, read_regular(file, most_bytes), remedy);
}

Json read_json_without(const std::set<std::string>& members, const std::string& file, std::size_t most_bytes) {
  const std::string text = read_regular(file, most_bytes);
  Inspector inspector(file, text);
  Json::sax_parse(text, &inspector);
  return Json::parse(text, [&](int depth, Json::parse_event_t event, Json& parsed) {
    return depth != 1 || event != Json::parse_event_t::key || members.count(parsed.get<std::string>()) == 0;
  });
}

// "[json.exception.type_error.302] ...", "[...] parse error at line 1, column 2: ..."
std::string reason_of(const Json::exception& error) {
  std::string text = error.what();
  if (!text.empty() && text.front() == '[') text.erase(0, std::min(text.find("] "), text.size() - 2) + 2);
  const std::string where = "parse error at ";
  if (text.compare(0, where.size(), where) == 0) text.erase(0, std::min(text.find(": "), text.size() - 2) + 2);
  const std::string syntax = "syntax error while parsing ";
  if (text.compare(0, syntax.size(), syntax) == 0) {  // "... value - invalid literal; last read: 'i'"
    if (const std::size_t dash = text.find(" - "); dash != std::string::npos) text.erase(0, dash + 3);
    if (const std::size_t last = text.find("; last read: "); last != std::string::npos) {
      const std::size_t end = text.rfind("; expected ");
      text.erase(last, end == std::string::npos || end < last ? end : end - last);
    }
  }
  return text;
}

}  // namespace kb::files
