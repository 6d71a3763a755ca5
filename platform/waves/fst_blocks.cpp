#include "platform/waves/fst_blocks.h"

#include <libdeflate.h>

#include <algorithm>
#include <new>
#include <utility>

#include "platform/base/version.h"
#include "platform/waves/wave_scopes.h"

namespace kb::waves {
namespace {

enum Block : char { kHeader = 0, kGeometry = 3, kHierarchy = 4, kChanges = 8 };
constexpr unsigned char kScope = 254, kUpScope = 255, kModule = 0;  // tags of the hierarchy
constexpr unsigned char kWire = 16, kText = 21, kNoDirection = 0;
constexpr char kLz4 = '4', kZlib = 'Z';
// When changes take more bytes than this (a VCD has 16), the next block is compressed by zlib, which takes longer.
constexpr double kMaxBytes = 1.0;
constexpr std::size_t kUnpacked = 32;        // shorter chains are not compressed
constexpr std::size_t kLongestStep = 5 + 8;  // bytes of a change of up to 64 bits
constexpr std::size_t kHeadOfChanges = 33;   // kind, length, begin, end, memory
constexpr int kFastest = 1, kUsual = 6;

void put_number(std::string& to, std::uint64_t number) {
  for (int shift = 56; shift >= 0; shift -= 8) to += static_cast<char>(number >> shift);
}
void set_number(std::string& in, std::size_t place, std::uint64_t number) {
  for (std::size_t i = 0; i < 8; ++i) in[place + i] = static_cast<char>(number >> (56 - 8 * i));
}

// Variable-length integer with seven bits per byte, lowest first.
unsigned char* put_short(unsigned char* to, std::uint64_t number) {
  for (; number >= 0x80; number >>= 7) *to++ = static_cast<unsigned char>(number | 0x80);
  *to++ = static_cast<unsigned char>(number);
  return to;
}
void put_short(std::string& to, std::uint64_t number) {
  unsigned char bytes[10];
  to.append(reinterpret_cast<const char*>(bytes), static_cast<std::size_t>(put_short(bytes, number) - bytes));
}
// Signed variant; the sign is the second highest bit of the last byte.
void put_signed(std::string& to, std::int64_t number) {
  for (; number < -0x40 || number >= 0x40; number >>= 7) to += static_cast<char>((number & 0x7f) | 0x80);
  to += static_cast<char>(number & 0x7f);
}

}  // namespace

struct FstSections::Packer {
  explicit Packer(int level) : compressor(::libdeflate_alloc_compressor(level)) {
    if (compressor == nullptr) throw std::bad_alloc();
  }
  ~Packer() { ::libdeflate_free_compressor(compressor); }
  Packer(const Packer&) = delete;
  Packer& operator=(const Packer&) = delete;

  // Compressed by zlib, or unchanged if that is not longer. Valid until the next call.
  std::string_view zlib(std::string_view bytes) {
    room.resize(::libdeflate_zlib_compress_bound(compressor, bytes.size()));
    const std::size_t size =
        ::libdeflate_zlib_compress(compressor, bytes.data(), bytes.size(), room.data(), room.size());
    return size == 0 || size >= bytes.size() ? bytes : std::string_view(room.data(), size);
  }
  std::string_view gzip(std::string_view bytes) {
    room.resize(::libdeflate_gzip_compress_bound(compressor, bytes.size()));
    return {room.data(), ::libdeflate_gzip_compress(compressor, bytes.data(), bytes.size(), room.data(), room.size())};
  }

  libdeflate_compressor* compressor;
  std::vector<char> room;
};

FstVariables::FstVariables(const std::vector<contract::SignalInfo>& signals, const std::vector<std::size_t>& earlier) {
  for (const contract::SignalInfo& signal : signals) words_.push_back(signal.words);
  std::size_t begin = 0;
  for (const std::size_t end : earlier) declare(signals, std::exchange(begin, end), end);
  declare(signals, begin, signals.size());
}

void FstVariables::declare(const std::vector<contract::SignalInfo>& signals, std::size_t begin, std::size_t end) {
  const auto open = [this](const std::string& name) {
    hierarchy_ += static_cast<char>(kScope);
    hierarchy_ += static_cast<char>(kModule);
    hierarchy_ += name + '\0' + '\0';
    ++scopes_;
  };
  const auto add = [&](std::uint32_t place) {
    const auto s = static_cast<std::uint32_t>(begin + place);
    const contract::SignalInfo& signal = signals[s];
    const auto bits = static_cast<std::uint16_t>(signal.bits);
    std::string name = shown_name(signal.name);
    if (bits > 1) name += " [" + std::to_string(bits - 1) + ":0]";
    put_variable(kWire, name, bits);
    all_.push_back({s, bits, static_cast<std::uint32_t>(frame_bytes_)});
    frame_bytes_ += bits;
    if (signal.words.empty()) return;
    put_variable(kText, text_name(signal), 0);
    all_.push_back({s, 0, static_cast<std::uint32_t>(frame_bytes_)});
  };
  const auto from = signals.begin() + static_cast<std::ptrdiff_t>(begin);
  visit_scopes({from, from + static_cast<std::ptrdiff_t>(end - begin)},
               {open, [this] { hierarchy_ += static_cast<char>(kUpScope); }, add});
}

void FstVariables::put_variable(unsigned char kind, const std::string& name, std::uint64_t bits) {
  hierarchy_ += static_cast<char>(kind);
  hierarchy_ += static_cast<char>(kNoDirection);
  hierarchy_ += name + '\0';
  put_short(hierarchy_, bits);
  put_short(hierarchy_, 0);  // not an alias
}

std::string FstVariables::hierarchy() const {
  FstSections::Packer packer(kUsual);
  const std::string_view packed = packer.gzip(hierarchy_);
  std::string block(1, kHierarchy);
  put_number(block, 16 + packed.size());
  put_number(block, hierarchy_.size());
  return block.append(packed);
}

std::string FstVariables::geometry() const {
  constexpr std::uint32_t kAnyLength = 0xffffffffu;
  std::string lengths;
  for (const Variable& variable : all_) put_short(lengths, variable.bits == 0 ? kAnyLength : variable.bits);
  FstSections::Packer packer(kUsual);
  const std::string_view packed = packer.zlib(lengths);
  std::string block(1, kGeometry);
  put_number(block, 24 + packed.size());
  put_number(block, lengths.size());
  put_number(block, all_.size());
  return block.append(packed);
}

std::string fst_header(TimeFs from, TimeFs until, const FstVariables& variables, std::uint64_t sections) {
  constexpr std::uint64_t kLength = 329;
  constexpr std::size_t kVersionBytes = 128, kDateBytes = 119;
  constexpr double kOrderOfBytes = 2.7182818284590452354;
  constexpr signed char kExponent = -15;  // femtoseconds
  std::string head(1, kHeader);
  put_number(head, kLength);
  put_number(head, static_cast<std::uint64_t>(from.fs()));
  put_number(head, static_cast<std::uint64_t>(until.fs()));
  head.append(reinterpret_cast<const char*>(&kOrderOfBytes), sizeof kOrderOfBytes);
  put_number(head, 0);  // memory used by the writer
  put_number(head, variables.scopes());
  put_number(head, variables.all().size());
  put_number(head, variables.all().size());  // variables that are not aliases
  put_number(head, sections);
  head += static_cast<char>(kExponent);
  std::string version = "kernbench " + std::string(kVersion);
  version.resize(kVersionBytes);
  head += version;
  head.append(kDateBytes, '\0');  // no date, so that equal runs give equal files
  head += '\0';                   // file type: Verilog and VHDL mixed
  put_number(head, 0);            // time zero
  return head;
}

FstSections::FstSections(const FstVariables& variables)
    : variables_(variables),
      frame_(variables.frame_bytes(), '0'),
      places_(variables.all().size(), 0),
      packer_(std::make_unique<Packer>(kFastest)) {
  for (const FstVariables::Variable& variable : variables.all()) {
    if (variable.signal >= values_.size()) values_.resize(variable.signal + 1, 0);
  }
  runs_.resize(values_.size(), 0);
  in_frame_.resize(values_.size());
  for (const FstVariables::Variable& variable : variables.all()) {
    if (variable.bits > 0) in_frame_[variable.signal] = variable;
  }
}

FstSections::~FstSections() = default;

void FstSections::set_value(std::uint32_t signal, std::uint64_t value) {
  values_[signal] = value;
  const FstVariables::Variable& variable = in_frame_[signal];
  std::uint64_t rest = value;
  for (std::size_t bit = variable.bits; bit-- > 0; rest >>= 1) {
    frame_[variable.in_frame + bit] = static_cast<char>('0' + (rest & 1));
  }
}

void FstSections::advance(const Section& section) {
  steps_ += section.steps.size();
  bytes_ += block_.size();
  is_zlib_ = static_cast<double>(bytes_) > kMaxBytes * static_cast<double>(steps_);
  for (const Section::Run& run : section.runs) set_value(run.signal, section.steps[run.first + run.count - 1].value);
}

std::string_view FstSections::render(const Section& section, TimeFs from, bool with_values) {
  const TimeFs until = section.times.empty() ? from : section.times.back();
  block_.assign(1, kChanges);
  put_number(block_, 0);  // placeholder of the length, set below
  put_number(block_, static_cast<std::uint64_t>(from.fs()));
  put_number(block_, static_cast<std::uint64_t>(until.fs()));
  put_number(block_, 0);  // placeholder of the memory that a reader needs, set below
  put_frame();
  const std::uint64_t memory = put_chains(section, with_values);
  put_index();
  put_times(section, from);
  set_number(block_, 1, block_.size() - 1);
  set_number(block_, kHeadOfChanges - 8, memory);
  return block_;
}

void FstSections::put_frame() {
  const std::string_view packed = packer_->zlib(frame_);
  put_short(block_, frame_.size());
  put_short(block_, packed.size());
  put_short(block_, variables_.all().size());
  block_.append(packed);
}

// Returns the uncompressed length of the chains.
std::uint64_t FstSections::put_chains(const Section& section, bool with_values) {
  put_short(block_, variables_.all().size());
  chains_ = block_.size();
  block_ += is_zlib_ ? kZlib : kLz4;
  for (std::uint32_t r = 0; r < section.runs.size(); ++r) runs_[section.runs[r].signal] = r + 1;
  std::uint64_t unpacked = 0;
  for (std::size_t v = 0; v < variables_.all().size(); ++v) {
    const FstVariables::Variable& variable = variables_.all()[v];
    places_[v] = 0;
    const std::uint32_t run = runs_[variable.signal];
    if (run == 0 && !with_values) continue;
    Steps steps;
    if (run != 0) {
      steps.begin = section.steps.data() + section.runs[run - 1].first;
      steps.end = steps.begin + section.runs[run - 1].count;
    }
    variable.bits == 0 ? make_texts(variable.signal, steps, with_values) : make_chain(variable, steps, with_values);
    unpacked += used_;
    places_[v] = static_cast<std::uint32_t>(block_.size() - chains_);
    put_chain();
  }
  for (const Section::Run& run : section.runs) runs_[run.signal] = 0;
  return unpacked;
}

// A change is the number of times since the previous one, and the value; for a one-bit signal both are combined.
void FstSections::make_chain(const FstVariables::Variable& variable, Steps steps, bool with_first) {
  chain_.resize(std::max(chain_.size(), (1 + static_cast<std::size_t>(steps.end - steps.begin)) * kLongestStep));
  unsigned char* to = chain_.data();
  std::uint32_t before = 0;
  const std::uint64_t first = values_[variable.signal];
  if (variable.bits == 1) {
    if (with_first) to = put_short(to, (first & 1) << 1);
    for (const Section::Step* step = steps.begin; step != steps.end; ++step) {
      const std::uint32_t at = step->time + 1;  // relative to the begin of the block
      to = put_short(to, std::uint64_t{at - before} << 2 | (step->value & 1) << 1);
      before = at;
    }
  } else {
    const int bytes = (variable.bits + 7) / 8, free_bits = 8 * bytes - variable.bits;
    const auto put = [&](std::uint32_t later, std::uint64_t value) {
      to = put_short(to, std::uint64_t{later} << 1);
      value <<= free_bits;
      for (int shift = 8 * (bytes - 1); shift >= 0; shift -= 8) *to++ = static_cast<unsigned char>(value >> shift);
    };
    if (with_first) put(0, first);
    for (const Section::Step* step = steps.begin; step != steps.end; ++step) {
      put(step->time + 1 - before, step->value);
      before = step->time + 1;
    }
  }
  used_ = static_cast<std::size_t>(to - chain_.data());
}

void FstSections::make_texts(std::uint32_t signal, Steps steps, bool with_first) {
  const std::vector<std::string>& words = variables_.words(signal);
  std::string texts;
  const auto put = [&](std::uint32_t later, std::uint64_t value) {
    const std::string word = value < words.size() ? words[value] : std::to_string(value);
    put_short(texts, std::uint64_t{later} << 1);
    put_short(texts, word.size());
    texts += word;
  };
  if (with_first) put(0, values_[signal]);
  std::uint32_t before = 0;
  for (const Section::Step* step = steps.begin; step != steps.end; ++step) {
    put(step->time + 1 - before, step->value);
    before = step->time + 1;
  }
  used_ = texts.size();
  chain_.resize(std::max(chain_.size(), used_));
  std::copy(texts.begin(), texts.end(), chain_.begin());
}

// A compressed chain is preceded by its length, an uncompressed one by 0.
void FstSections::put_chain() {
  const std::string_view chain(reinterpret_cast<const char*>(chain_.data()), used_);
  std::string_view packed = chain;
  if (used_ > kUnpacked && is_zlib_) {
    packed = packer_->zlib(chain);
  } else if (used_ > kUnpacked) {
    packed_.resize(std::max(packed_.size(), used_));
    const std::size_t size = lz4_.pack(chain_.data(), used_, packed_.data());
    if (size > 0) packed = {reinterpret_cast<const char*>(packed_.data()), size};
  }
  put_short(block_, packed.size() == chain.size() ? 0 : used_);
  block_.append(packed);
}

// Offset of each chain relative to the previous one, and counts of variables without a chain.
void FstSections::put_index() {
  const std::size_t begin = block_.size();
  std::uint64_t without = 0;
  std::uint32_t before = 0;
  const auto put_without = [&] {
    if (without > 0) put_short(block_, without << 1);
    without = 0;
  };
  for (const std::uint32_t place : places_) {
    if (place == 0) {
      ++without;
      continue;
    }
    put_without();
    put_signed(block_, static_cast<std::int64_t>(place - before) << 1 | 1);
    before = place;
  }
  put_without();
  put_number(block_, block_.size() - begin);
}

void FstSections::put_times(const Section& section, TimeFs from) {
  constexpr std::size_t kLongestTime = 10;
  times_.resize((section.times.size() + 1) * kLongestTime);
  auto* const begin = reinterpret_cast<unsigned char*>(times_.data());
  unsigned char* to = put_short(begin, static_cast<std::uint64_t>(from.fs()));
  TimeFs before = from;
  for (const TimeFs time : section.times) {
    to = put_short(to, static_cast<std::uint64_t>((time - before).fs()));
    before = time;
  }
  const std::string_view bytes(times_.data(), static_cast<std::size_t>(to - begin));
  const std::string_view packed = packer_->zlib(bytes);
  block_.append(packed);
  put_number(block_, bytes.size());
  put_number(block_, packed.size());
  put_number(block_, section.times.size() + 1);
}

}  // namespace kb::waves
