#include "platform/waves/vcd_file.h"

#include <algorithm>
#include <charconv>
#include <cstring>

#include "platform/base/version.h"
#include "platform/waves/wave_scopes.h"

namespace kb::waves {
namespace {

constexpr int kLowerDigits = 7;
constexpr std::int64_t kLower = 10'000'000;
constexpr std::size_t kLongestValue = 80;  // "b", 64 digits, a space and an identifier
// Strings have separate identifiers, so that those of signals do not change when more signals are declared.
constexpr std::size_t kFirstText = std::size_t{94} * 94 * 94;

// Short identifiers made of the printable characters '!' .. '~'.
std::string identifier(std::size_t index) {
  std::string id;
  do {
    id += static_cast<char>('!' + index % 94);
    index /= 94;
  } while (index != 0);
  return id;
}

}  // namespace

std::string VcdFile::header(const std::vector<contract::SignalInfo>& signals) {
  std::string out = "$version kernbench " + std::string(kVersion) + " $end\n$timescale 1 fs $end\n";
  const auto add = [&](std::uint32_t index) {
    const contract::SignalInfo& signal = signals[index];
    Line& line = lines_[index];
    line.bits = static_cast<std::uint8_t>(signal.bits);
    const std::string id = identifier(index), tail = id + '\n';
    std::copy(tail.begin(), tail.end(), line.tail.begin());
    line.tail_size = static_cast<std::uint8_t>(tail.size());
    out += "$var wire " + std::to_string(signal.bits) + ' ' + id + ' ' + shown_name(signal.name);
    if (signal.bits > 1) out += " [" + std::to_string(signal.bits - 1) + ":0]";
    out += " $end\n";
    if (signal.words.empty()) return;
    line.has_words = true;
    texts_[index] = {identifier(kFirstText + index), signal.words};
    out += "$var string 1 " + texts_[index].identifier + ' ' + text_name(signal) + " $end\n";
  };
  visit_scopes(signals, {[&](const std::string& name) { out += "$scope module " + name + " $end\n"; },
                         [&] { out += "$upscope $end\n"; }, add});
  return out + "$enddefinitions $end\n";
}

void VcdFile::begin(const std::vector<contract::SignalInfo>& signals, TimeFs from,
                    const std::vector<std::uint64_t>& values) {
  const bool first = lines_.empty();
  lines_.resize(signals.size());
  const std::string before = header(signals) + "#" + std::to_string(from.fs()) + "\n$dumpvars\n";
  used_ = 0;
  for (std::uint32_t s = 0; s < signals.size(); ++s) {
    make_room(kLongestValue);
    change(s, values[s]);
  }
  file_.set_head(before + std::string(buffer_.data(), used_) + "$end\n");
  if (first) written_ = from;
}

void VcdFile::add(const Section& section) {
  if (section.steps.empty()) return;
  render(section);
  file_.append({buffer_.data(), used_});
  written_ = section.times.back();
}

void VcdFile::show(const Section& section, TimeFs at) {
  render(section);
  if (at > (section.times.empty() ? written_ : section.times.back())) time(at);
  file_.show({buffer_.data(), used_});
}

void VcdFile::end(TimeFs at) {
  used_ = 0;
  if (written_ != at) time(at);
  file_.append({buffer_.data(), used_});
  file_.complete();
}

// Sorts the steps by time, because a section has them by signal.
void VcdFile::render(const Section& section) {
  used_ = 0;
  places_.assign(section.times.size() + 1, 0);
  for (const Section::Step& step : section.steps) ++places_[step.time + 1];
  for (std::size_t i = 1; i < places_.size(); ++i) places_[i] += places_[i - 1];
  by_time_.resize(section.steps.size());
  for (const Section::Run& run : section.runs) {
    for (std::uint32_t i = run.first; i < run.first + run.count; ++i) {
      const Section::Step& step = section.steps[i];
      by_time_[places_[step.time]++] = {step.value, run.signal};
    }
  }
  std::uint32_t next = 0;
  for (std::size_t t = 0; t < section.times.size(); ++t) {
    time(section.times[t]);
    for (; next < places_[t]; ++next) change(by_time_[next].signal, by_time_[next].value);
  }
}

void VcdFile::make_room(std::size_t bytes) {
  if (buffer_.size() - used_ < bytes) buffer_.resize(std::max(used_ + bytes, 2 * buffer_.size()));
}

void VcdFile::time(TimeFs at) {
  make_room(kLongestValue);
  buffer_[used_++] = '#';
  append_number(at.fs());
  buffer_[used_++] = '\n';
}

// Only converts the changed digits, because converting all digits of all times takes a third of the writing time.
void VcdFile::append_number(std::int64_t number) {
  if (number / kLower != upper_) {
    upper_ = number / kLower;
    upper_text_ = upper_ == 0 ? "" : std::to_string(upper_);
  }
  std::memcpy(&buffer_[used_], upper_text_.data(), upper_text_.size());
  used_ += upper_text_.size();
  auto lower = static_cast<std::uint32_t>(number % kLower);
  if (upper_ == 0) {
    char* const end = buffer_.data() + buffer_.size();
    used_ = static_cast<std::size_t>(std::to_chars(&buffer_[used_], end, lower).ptr - buffer_.data());
    return;
  }
  for (int i = kLowerDigits - 1; i >= 0; --i, lower /= 10) {
    buffer_[used_ + static_cast<std::size_t>(i)] = static_cast<char>('0' + lower % 10);
  }
  used_ += kLowerDigits;
}

void VcdFile::change(std::uint32_t signal, std::uint64_t value) {
  make_room(kLongestValue);
  const Line& line = lines_[signal];
  char* out = &buffer_[used_];
  if (line.bits == 1) {
    *out++ = (value & 1) != 0 ? '1' : '0';
  } else {
    *out++ = 'b';
    int top = line.bits - 1;
    while (top > 0 && ((value >> top) & 1) == 0) --top;
    for (int i = top; i >= 0; --i) *out++ = ((value >> i) & 1) != 0 ? '1' : '0';
    *out++ = ' ';
  }
  std::memcpy(out, line.tail.data(), line.tail.size());  // copies the whole array, because a fixed size is faster
  used_ = static_cast<std::size_t>(out - buffer_.data()) + line.tail_size;
  if (!line.has_words) return;
  const Text& text = texts_.at(signal);
  append("s" + (value < text.words.size() ? text.words[value] : std::to_string(value)) + ' ' + text.identifier + '\n');
}

void VcdFile::append(const std::string& text) {
  make_room(text.size());
  std::memcpy(&buffer_[used_], text.data(), text.size());
  used_ += text.size();
}

}  // namespace kb::waves
