#include "sim/web/report/answers.h"

#include <algorithm>

#include "platform/observe/gzip.h"
#include "platform/observe/json_writer.h"

namespace kb::web {

std::string key_of(const std::string& path, const Answers::Parameters& parameters) {
  std::vector<std::string> parts;
  for (const auto& [name, value] : parameters) {
    if (!value.empty() && name != "px" && name != "names") parts.push_back(name + "=" + value);
  }
  std::sort(parts.begin(), parts.end());
  std::string key = path;
  for (const std::string& part : parts) key += " " + part;
  return key;
}

std::string base64(std::string_view bytes) {
  constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  constexpr std::size_t kBytes = 3, kLetters = 4;
  constexpr unsigned kBits = 6, kMask = 63;
  std::string text;
  text.reserve((bytes.size() + kBytes - 1) / kBytes * kLetters);
  for (std::size_t at = 0; at < bytes.size(); at += kBytes) {
    const auto byte = [&](std::size_t i) {
      return at + i < bytes.size() ? static_cast<unsigned>(static_cast<unsigned char>(bytes[at + i])) : 0U;
    };
    const unsigned group = byte(0) << 16 | byte(1) << 8 | byte(2);
    for (std::size_t i = 0; i < kLetters; ++i) {
      const unsigned digit = group >> (kBits * static_cast<unsigned>(kLetters - 1 - i)) & kMask;
      text += at + i <= bytes.size() ? kDigits[digit] : '=';
    }
  }
  return text;
}

std::optional<std::string> Answers::ask(const std::string& path, const Parameters& parameters) {
  const HttpResponse response = api_.answer({path, parameters});
  if (response.status != 200 || response.body.size() > kMaxBytes) return std::nullopt;
  keep(key_of(path, parameters), response.body);
  return response.body;
}

void Answers::keep(const std::string& key, const std::string& answer) {
  constexpr int kLevel = 6;
  std::string bytes;
  observe::Gzip gzip([&](std::string_view piece) { bytes += piece; }, kLevel);
  gzip.add(answer);
  gzip.finish();
  const auto [kept, is_new] = packed_.emplace(key, base64(bytes));
  if (is_new) packed_bytes_ += kept->second.size();
}

void Answers::ask_timeline(const TimelineWindow& window) {
  const auto asked = [&](const char* path, const std::vector<std::uint32_t>& rows) {
    std::string list;
    for (const std::uint32_t row : rows) list += (list.empty() ? "" : ",") + std::to_string(row);
    return ask(path, {{"t0", std::to_string(window.begin_fs)},
                      {"t1", std::to_string(window.end_fs)},
                      {"px", std::to_string(window.pixels)},
                      {"rows", list}});
  };
  if (!asked("/api/tiles", window.rows)) return;
  if (!window.states.empty()) asked("/api/states", window.states);
  windows_.push_back(window);
}

std::string Answers::json() const {
  observe::JsonWriter writer(observe::JsonWriter::Layout::compact);
  writer.begin_object().key("answers").begin_object();
  for (const auto& [key, packed] : packed_) writer.key(key).text(packed);
  writer.end_object().key("windows").begin_array();
  const auto list = [&](const char* name, const std::vector<std::uint32_t>& rows) {
    writer.key(name).begin_array();
    for (const std::uint32_t row : rows) writer.unsigned_integer(row);
    writer.end_array();
  };
  for (const TimelineWindow& window : windows_) {
    writer.begin_object().key("t0").text(std::to_string(window.begin_fs));
    writer.key("t1").text(std::to_string(window.end_fs)).key("px").integer(window.pixels);
    list("rows", window.rows);
    list("states", window.states);
    writer.end_object();
  }
  writer.end_array().end_object();
  return writer.str();
}

}  // namespace kb::web
