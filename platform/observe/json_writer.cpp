#include "platform/observe/json_writer.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "platform/base/printable.h"

namespace kb::observe {
namespace {

// Returns the end of what it wrote.
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

// ASCII characters that stand for themselves.
constexpr std::array<bool, 256> plain_characters() {
  std::array<bool, 256> plain{};
  for (std::size_t code = 0x20; code < 0x80; ++code) plain[code] = code != '"' && code != '\\';
  return plain;
}
constexpr std::array<bool, 256> kPlain = plain_characters();

// With its quotes.
void add_string(TextBuffer& out, std::string_view text) {
  constexpr std::size_t kLongest = 6;  // of what a byte becomes
  char* to = out.room(kLongest * text.size() + 2);
  *to++ = '"';
  for (std::size_t i = 0; i < text.size();) {
    const char c = text[i];
    if (kPlain[static_cast<unsigned char>(c)]) {
      *to++ = c;
      ++i;
      continue;
    }
    const std::size_t length = utf8_length(text.substr(i));
    if (length == 0) {
      to = put(to, "\\ufffd");
    } else if (length == 1) {
      to = put_escaped(to, c);
    } else {
      to = put(to, text.substr(i, length));
    }
    i += std::max<std::size_t>(length, 1);
  }
  *to++ = '"';
  out.end_at(to);
}

constexpr std::size_t kNumberBytes = 40;  // any number

}  // namespace

std::string json_string(std::string_view text) {
  TextBuffer out;
  add_string(out, text);
  return std::string(out.text());
}

std::string shortest(double value) {
  char buffer[40];
  const auto end = std::to_chars(buffer, buffer + sizeof buffer, value).ptr;
  return {buffer, end};
}

JsonWriter& JsonWriter::key(std::string_view name) {
  separate();
  add_string(out_, name);
  out_.add(pretty_ ? ": " : ":");
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
  char* const to = out_.room(kNumberBytes);
  out_.end_at(std::to_chars(to, to + kNumberBytes, value).ptr);
  return *this;
}

JsonWriter& JsonWriter::unsigned_integer(std::uint64_t value) {
  before_value();
  char* const to = out_.room(kNumberBytes);
  out_.end_at(std::to_chars(to, to + kNumberBytes, value).ptr);
  return *this;
}

JsonWriter& JsonWriter::real(double value) {
  return std::isfinite(value) ? raw(shortest(value)) : null();
}

JsonWriter& JsonWriter::time_ns(TimeFs fs) {
  before_value();
  out_.end_at(put_ns(out_.room(kNsBytes), fs));
  return *this;
}

JsonWriter& JsonWriter::raw(std::string_view json) {
  before_value();
  out_.add(json);
  return *this;
}

JsonWriter& JsonWriter::open(char bracket, bool inline_items) {
  before_value();
  out_.add(bracket);
  const bool inherited = !levels_.empty() && levels_.back().inline_items;
  levels_.push_back({inline_items || inherited, true});
  return *this;
}

JsonWriter& JsonWriter::close(char bracket) {
  const Level level = levels_.back();
  levels_.pop_back();
  if (!level.empty && !level.inline_items) new_line();
  out_.add(bracket);
  if (sink_ != nullptr && out_.text().size() >= kPieceBytes) pass_on();
  return *this;
}

void JsonWriter::finish() {
  out_.add('\n');
  pass_on();
}

void JsonWriter::pass_on() {
  (*sink_)(out_.text());
  out_.clear();
}

void JsonWriter::before_value() {
  if (!after_key_) separate();
  after_key_ = false;
}

void JsonWriter::separate() {
  if (levels_.empty()) return;
  Level& level = levels_.back();
  if (!level.empty) out_.add(level.inline_items && pretty_ ? ", " : ",");
  level.empty = false;
  if (!level.inline_items) new_line();
}

void JsonWriter::new_line() {
  if (!pretty_) return;
  out_.add('\n');
  out_.add(levels_.size() * 2, ' ');
}

}  // namespace kb::observe
