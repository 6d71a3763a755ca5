#include "platform/observe/json_writer.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "platform/base/printable.h"

namespace kb::observe {
namespace {

// Returns the end of the written text.
char* put(char* to, std::string_view text) {
  return std::copy(text.begin(), text.end(), to);
}

char* put_escaped(char* to, char c) {
  constexpr char kHex[] = "0123456789abcdef";
  switch (c) {
    case '"':
      return put(to, "\\\"");
    case '\\':
      return put(to, "\\\\");
    case '\n':
      return put(to, "\\n");
    case '\t':
      return put(to, "\\t");
    case '\r':
      return put(to, "\\r");
    default:
      break;
  }
  to = put(to, "\\u00");
  *to++ = kHex[(static_cast<unsigned char>(c) >> 4) & 0xf];
  *to++ = kHex[static_cast<unsigned char>(c) & 0xf];
  return to;
}

// ASCII characters that need no escape.
constexpr std::array<bool, 256> plain_characters() {
  std::array<bool, 256> plain{};
  for (std::size_t code = 0x20; code < 0x80; ++code) plain[code] = code != '"' && code != '\\';
  return plain;
}
constexpr std::array<bool, 256> kPlain = plain_characters();

// Number of leading characters that need no escape.
std::size_t count_plain(std::string_view text) {
  const auto is_plain = [](char c) { return kPlain[static_cast<unsigned char>(c)]; };
  return static_cast<std::size_t>(std::find_if_not(text.begin(), text.end(), is_plain) - text.begin());
}

// Maximum size of an escaped text with its quotes.
constexpr std::size_t most_bytes(std::string_view text) {
  return 6 * text.size() + 2;
}

// Writes a quoted string. Returns the end of the written text.
char* put_string(char* to, std::string_view text) {
  *to++ = '"';
  for (;;) {
    const std::size_t plain = count_plain(text);
    to = put(to, text.substr(0, plain));
    text.remove_prefix(plain);
    if (text.empty()) break;
    const std::size_t length = utf8_length(text);
    if (length == 0) {
      to = put(to, "\\ufffd");
    } else if (length == 1) {
      to = put_escaped(to, text.front());
    } else {
      to = put(to, text.substr(0, length));
    }
    text.remove_prefix(std::max<std::size_t>(length, 1));
  }
  *to++ = '"';
  return to;
}

// Returns space for `bytes` more characters; end_at() sets the end of the written ones.
char* room(fmt::memory_buffer& out, std::size_t bytes) {
  out.reserve(out.size() + bytes);
  return out.data() + out.size();
}

void end_at(fmt::memory_buffer& out, const char* end) {
  out.resize(static_cast<std::size_t>(end - out.data()));
}

void add_string(fmt::memory_buffer& out, std::string_view text) {
  end_at(out, put_string(room(out, most_bytes(text)), text));
}

constexpr std::size_t kNumberBytes = 40;  // any number

}  // namespace

std::string json_string(std::string_view text) {
  fmt::memory_buffer out;
  add_string(out, text);
  return fmt::to_string(out);
}

std::string shortest(double value) {
  char buffer[40];
  const auto end = std::to_chars(buffer, buffer + sizeof buffer, value).ptr;
  return {buffer, end};
}

double tidy(double value) {
  constexpr int kDigits = 12, kDecimals = 6;
  if (value == 0 || !std::isfinite(value) || value == std::floor(value)) return value;
  const int decimals = std::max(kDecimals, kDigits - 1 - static_cast<int>(std::floor(std::log10(std::fabs(value)))));
  char buffer[400];
  const auto end = std::to_chars(buffer, buffer + sizeof buffer, value, std::chars_format::fixed, decimals);
  double out = value;
  if (end.ec == std::errc{}) std::from_chars(buffer, end.ptr, out);
  return out;
}

std::string number_text(double value) {
  return shortest(tidy(value));
}

JsonWriter& JsonWriter::key(std::string_view name) {
  char* to = put_separator(room(out_, separator_bytes() + most_bytes(name) + 2));
  to = put_string(to, name);
  *to++ = ':';
  if (pretty_) *to++ = ' ';
  end_at(out_, to);
  after_key_ = true;
  return *this;
}

JsonWriter& JsonWriter::text(std::string_view value) {
  before_value();
  add_string(out_, value);
  return *this;
}

JsonWriter& JsonWriter::integer(std::int64_t value) {
  before_value();
  char* const to = room(out_, kNumberBytes);
  end_at(out_, std::to_chars(to, to + kNumberBytes, value).ptr);
  return *this;
}

JsonWriter& JsonWriter::unsigned_integer(std::uint64_t value) {
  before_value();
  char* const to = room(out_, kNumberBytes);
  end_at(out_, std::to_chars(to, to + kNumberBytes, value).ptr);
  return *this;
}

JsonWriter& JsonWriter::real(double value) {
  return std::isfinite(value) ? raw(number_text(value)) : null();
}

JsonWriter& JsonWriter::time_ns(TimeFs fs) {
  before_value();
  end_at(out_, put_ns(room(out_, kNsBytes), fs));
  return *this;
}

JsonWriter& JsonWriter::raw(std::string_view json) {
  before_value();
  out_.append(json.data(), json.data() + json.size());
  return *this;
}

JsonWriter& JsonWriter::open(char bracket, bool inline_items) {
  before_value();
  out_.push_back(bracket);
  const bool inherited = !levels_.empty() && levels_.back().inline_items;
  levels_.push_back({inline_items || inherited, true});
  return *this;
}

JsonWriter& JsonWriter::close(char bracket) {
  const Level level = levels_.back();
  levels_.pop_back();
  if (!level.empty && !level.inline_items) end_at(out_, put_new_line(room(out_, separator_bytes())));
  out_.push_back(bracket);
  if (sink_ != nullptr && out_.size() >= kPieceBytes) pass_on();
  return *this;
}

void JsonWriter::finish() {
  out_.push_back('\n');
  pass_on();
}

void JsonWriter::pass_on() {
  (*sink_)({out_.data(), out_.size()});
  out_.clear();
}

void JsonWriter::before_value() {
  if (!after_key_) end_at(out_, put_separator(room(out_, separator_bytes())));
  after_key_ = false;
}

// Writes the separator between items or before the first item of a level. Returns the end of the written text.
char* JsonWriter::put_separator(char* to) {
  if (levels_.empty()) return to;
  Level& level = levels_.back();
  if (!level.empty) {
    *to++ = ',';
    if (level.inline_items && pretty_) *to++ = ' ';
  }
  level.empty = false;
  return level.inline_items ? to : put_new_line(to);
}

char* JsonWriter::put_new_line(char* to) const {
  if (!pretty_) return to;
  *to++ = '\n';
  return std::fill_n(to, 2 * levels_.size(), ' ');
}

}  // namespace kb::observe
