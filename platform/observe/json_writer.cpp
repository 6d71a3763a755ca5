#include "platform/observe/json_writer.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "platform/base/printable.h"

namespace kb::observe {
namespace {

void append_escaped(std::string& out, char c) {
  constexpr char kHex[] = "0123456789abcdef";
  switch (c) {
    case '"':
      out += "\\\"";
      return;
    case '\\':
      out += "\\\\";
      return;
    case '\n':
      out += "\\n";
      return;
    case '\t':
      out += "\\t";
      return;
    case '\r':
      out += "\\r";
      return;
    default:
      break;
  }
  out += "\\u00";
  out += kHex[(static_cast<unsigned char>(c) >> 4) & 0xf];
  out += kHex[static_cast<unsigned char>(c) & 0xf];
}

// ASCII characters that stand for themselves.
constexpr std::array<bool, 256> plain_characters() {
  std::array<bool, 256> plain{};
  for (std::size_t code = 0x20; code < 0x80; ++code) plain[code] = code != '"' && code != '\\';
  return plain;
}
constexpr std::array<bool, 256> kPlain = plain_characters();

bool is_plain(char c) {
  return kPlain[static_cast<unsigned char>(c)];
}

void append_string(std::string& out, std::string_view text) {
  out += '"';
  while (true) {
    const auto plain = static_cast<std::size_t>(std::find_if_not(text.begin(), text.end(), is_plain) - text.begin());
    out.append(text.substr(0, plain));
    text.remove_prefix(plain);
    if (text.empty()) break;
    const char c = text.front();
    const std::size_t length = utf8_length(text);
    if (length == 0) {
      out += "\\ufffd";
      text.remove_prefix(1);
      continue;
    }
    if (static_cast<unsigned char>(c) < 0x20 || c == '"' || c == '\\') {
      append_escaped(out, c);
    } else {
      out.append(text.substr(0, length));
    }
    text.remove_prefix(length);
  }
  out += '"';
}

}  // namespace

std::string json_string(std::string_view text) {
  std::string out;
  append_string(out, text);
  return out;
}

std::string shortest(double value) {
  char buffer[40];
  const auto end = std::to_chars(buffer, buffer + sizeof buffer, value).ptr;
  return {buffer, end};
}

JsonWriter& JsonWriter::key(std::string_view name) {
  separate();
  append_string(out_, name);
  out_ += pretty_ ? ": " : ":";
  after_key_ = true;
  return *this;
}

JsonWriter& JsonWriter::text(std::string_view value) {
  before_value();
  append_string(out_, value);
  return *this;
}

JsonWriter& JsonWriter::real(double value) {
  return std::isfinite(value) ? raw(shortest(value)) : null();
}

JsonWriter& JsonWriter::raw(std::string_view json) {
  before_value();
  out_ += json;
  return *this;
}

JsonWriter& JsonWriter::open(char bracket, bool inline_items) {
  before_value();
  out_ += bracket;
  const bool inherited = !levels_.empty() && levels_.back().inline_items;
  levels_.push_back({inline_items || inherited, true});
  return *this;
}

JsonWriter& JsonWriter::close(char bracket) {
  const Level level = levels_.back();
  levels_.pop_back();
  if (!level.empty && !level.inline_items) new_line();
  out_ += bracket;
  if (sink_ != nullptr && out_.size() >= kPieceBytes) pass_on(out_, *sink_);
  return *this;
}

void JsonWriter::finish() {
  out_ += '\n';
  pass_on(out_, *sink_);
}

void JsonWriter::before_value() {
  if (!after_key_) separate();
  after_key_ = false;
}

void JsonWriter::separate() {
  if (levels_.empty()) return;
  Level& level = levels_.back();
  if (!level.empty) out_ += level.inline_items && pretty_ ? ", " : ",";
  level.empty = false;
  if (!level.inline_items) new_line();
}

void JsonWriter::new_line() {
  if (!pretty_) return;
  out_ += '\n';
  out_.append(levels_.size() * 2, ' ');
}

}  // namespace kb::observe
