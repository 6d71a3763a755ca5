// Waveform files as value change dump (IEEE 1364), readable by GTKWave.
#pragma once

#include <array>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "platform/observe/output_file.h"
#include "platform/waves/growing_file.h"
#include "platform/waves/i_wave_file.h"

namespace kb::waves {

// State names are variables of type string, an extension that GTKWave reads and vcd2fst keeps.
class VcdFile final : public IWaveFile {
 public:
  explicit VcdFile(observe::OutputFile& file) : file_(file, GrowingFile::Layout::text) {}

  void begin(const std::vector<contract::SignalInfo>& signals, TimeFs from,
             const std::vector<std::uint64_t>& values) override;
  void add(const Section& section) override;
  void show(const Section& section, TimeFs at) override;
  void end(TimeFs at) override;

 private:
  struct Line {
    std::array<char, 6> tail{};  // identifier and line break
    std::uint8_t tail_size = 0;
    std::uint8_t bits = 1;
    bool has_words = false;
  };
  struct Text {
    std::string identifier;
    std::vector<std::string> words;
  };

  std::string header(const std::vector<contract::SignalInfo>& signals);
  void render(const Section& section);
  void time(TimeFs at);
  void change(std::uint32_t signal, std::uint64_t value);
  void append(const std::string& text);
  void append_number(std::int64_t number);
  void make_room(std::size_t bytes);

  GrowingFile file_;
  std::vector<Line> lines_;
  std::unordered_map<std::uint32_t, Text> texts_;  // signals with words
  TimeFs written_ = 0_fs;
  std::int64_t upper_ = -1;  // the latest time without its last digits, which rarely change
  std::string upper_text_;
  std::vector<char> buffer_;  // rendered text
  std::size_t used_ = 0;
  std::vector<std::uint32_t> places_;
  struct ByTime {
    std::uint64_t value;
    std::uint32_t signal;
  };
  std::vector<ByTime> by_time_;
};

}  // namespace kb::waves
