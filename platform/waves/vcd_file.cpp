#include "platform/waves/vcd_file.h"

#include <algorithm>
#include <charconv>
#include <cstring>

#include "platform/base/version.h"
#include "platform/waves/wave_scopes.h"

namespace kb::waves {
namespace {

constexpr std::size_t kBuffer = std::size_t{1} << 16;
constexpr int kLowerDigits = 7;
constexpr std::int64_t kLower = 10'000'000;
constexpr std::size_t kLongestValue = 80;  // "b", 64 digits, a space and an identifier

// Short identifiers out of the printable characters '!' .. '~'.
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
  auto strings = static_cast<std::uint32_t>(signals.size());
  const auto add = [&](std::uint32_t index) {
    const contract::SignalInfo& signal = signals[index];
    Line& line = lines_[index];
    line.bits = static_cast<std::uint8_t>(signal.bits);
    const std::string tail = identifier(index) + '\n';
    std::copy(tail.begin(), tail.end(), line.tail.begin());
    line.tail_size = static_cast<std::uint8_t>(tail.size());
    out += "$var wire " + std::to_string(signal.bits) + ' ' + identifier(index) + ' ' + shown_name(signal.name);
    if (signal.bits > 1) out += " [" + std::to_string(signal.bits - 1) + ":0]";
    out += " $end\n";
    if (signal.words.empty()) return;
    line.has_words = true;
    texts_[index] = {identifier(strings), signal.words};
    out += "$var string 1 " + identifier(strings++) + ' ' + text_name(signal) + " $end\n";
  };
  visit_scopes(signals, {[&](const std::string& name) { out += "$scope module " + name + " $end\n"; },
                         [&] { out += "$upscope $end\n"; }, add});
  return out + "$enddefinitions $end\n";
}

void VcdFile::begin(const std::vector<contract::SignalInfo>& signals, TimeFs from) {
  buffer_ = std::make_unique<char[]>(kBuffer);
  lines_.resize(signals.size());
  append(header(signals));
  append("#" + std::to_string(from.fs()) + "\n$dumpvars\n");
  written_ = from;
}

void VcdFile::time(TimeFs at) {
  if (kBuffer - used_ < kLongestValue) flush();
  written_ = at;
  buffer_[used_++] = '#';
  append_number(at.fs());
  buffer_[used_++] = '\n';
}

// Converting every digit of every time is a third of the work of writing a file.
void VcdFile::append_number(std::int64_t number) {
  if (number / kLower != upper_) {
    upper_ = number / kLower;
    upper_text_ = upper_ == 0 ? "" : std::to_string(upper_);
  }
  std::memcpy(&buffer_[used_], upper_text_.data(), upper_text_.size());
  used_ += upper_text_.size();
  auto lower = static_cast<std::uint32_t>(number % kLower);
  if (upper_ == 0) {
    used_ = static_cast<std::size_t>(std::to_chars(&buffer_[used_], &buffer_[kBuffer], lower).ptr - buffer_.get());
    return;
  }
  for (int i = kLowerDigits - 1; i >= 0; --i, lower /= 10) buffer_[used_ + i] = static_cast<char>('0' + lower % 10);
  used_ += kLowerDigits;
}

void VcdFile::change(std::uint32_t signal, std::uint64_t value) {
  if (kBuffer - used_ < kLongestValue) flush();
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
  std::memcpy(out, line.tail.data(), line.tail.size());  // all of it, because a fixed size is faster
  used_ = static_cast<std::size_t>(out - buffer_.get()) + line.tail_size;
  if (!line.has_words) return;
  const Text& text = texts_.at(signal);
  append("s" + (value < text.words.size() ? text.words[value] : std::to_string(value)) + ' ' + text.identifier + '\n');
}

void VcdFile::end(TimeFs at) {
  if (written_ != at) time(at);
  flush();
  file_.complete();
}

void VcdFile::append(const char* text, std::size_t size) {
  if (kBuffer - used_ < size) flush();
  if (size > kBuffer) {
    file_.write({text, size});
    return;
  }
  std::memcpy(&buffer_[used_], text, size);
  used_ += size;
}

void VcdFile::flush() {
  if (used_ > 0) file_.write({buffer_.get(), used_});
  used_ = 0;
}

}  // namespace kb::waves
