// The blocks of an FST file. The format has no specification but GTKWave's fstapi.c, which reads it
// (https://github.com/gtkwave/gtkwave, lib/libfst): https://blog.timhutt.co.uk/fst_spec/ is a description of it.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "platform/contract/i_signal_observer.h"
#include "platform/waves/lz4_block.h"
#include "platform/waves/section.h"

namespace kb::waves {

// Variables of a file. A signal is one, and one more of variable length with its words if it has some; they are
// numbered in the order of the scopes, in which a viewer shows them.
class FstVariables {
 public:
  struct Variable {
    std::uint32_t signal = 0;
    std::uint16_t bits = 1;      // 0: a text
    std::uint32_t in_frame = 0;  // where its digits are in the frame
  };
  // `earlier`: how many signals there were when a variable was numbered before, in ascending order. Those keep their
  // numbers, and the others follow in scopes that are opened once more.
  FstVariables(const std::vector<contract::SignalInfo>& signals, const std::vector<std::size_t>& earlier);

  const std::vector<Variable>& all() const { return all_; }
  const std::vector<std::string>& words(std::uint32_t signal) const { return words_[signal]; }
  std::size_t frame_bytes() const { return frame_bytes_; }
  // The blocks that declare them.
  std::string hierarchy() const;
  std::string geometry() const;
  std::uint64_t scopes() const { return scopes_; }

 private:
  void declare(const std::vector<contract::SignalInfo>& signals, std::size_t begin, std::size_t end);
  void put_variable(unsigned char kind, const std::string& name, std::uint64_t bits);

  std::vector<Variable> all_;
  std::vector<std::vector<std::string>> words_;  // by signal
  std::size_t frame_bytes_ = 0;
  std::uint64_t scopes_ = 0;
  std::string hierarchy_;  // unpacked
};

// The head of a file: 330 bytes.
std::string fst_header(TimeFs from, TimeFs until, const FstVariables& variables, std::uint64_t sections);

// Renders sections as blocks of value changes. A block has the values of all variables at its begin (the frame), a
// chain of changes of each variable that has some, where the chains are, and the times.
class FstSections {
 public:
  explicit FstSections(const FstVariables& variables);
  ~FstSections();

  // The value of a signal at the begin of the next block.
  void set_value(std::uint32_t signal, std::uint64_t value);
  // `from` is the end of the block before: blocks leave no gap. With `with_values` the values at `from` are changes,
  // too: the first block needs it, because texts are in no frame, and readers take none for the first values. The
  // result is valid until the next call.
  std::string_view render(const Section& section, TimeFs from, bool with_values);
  const std::vector<std::uint64_t>& values() const { return values_; }
  // The section of the latest render() is in the file: what it changes is in the frame of the next block.
  void advance(const Section& section);

  struct Packer;  // libdeflate

 private:
  struct Steps {
    const Section::Step* begin = nullptr;
    const Section::Step* end = nullptr;
  };

  void put_frame();
  std::uint64_t put_chains(const Section& section, bool with_values);
  void make_chain(const FstVariables::Variable& variable, Steps steps, bool with_first);
  void make_texts(std::uint32_t signal, Steps steps, bool with_first);
  void put_chain();
  void put_index();
  void put_times(const Section& section, TimeFs from);

  const FstVariables& variables_;
  std::vector<std::uint64_t> values_;             // by signal
  std::vector<FstVariables::Variable> in_frame_;  // by signal
  std::string frame_;                             // a digit for each bit
  std::vector<std::uint32_t> runs_;               // by signal: 1 + its run in the section; 0: it has none
  std::string block_;
  std::size_t chains_ = 0;            // where the chains begin in the block
  std::vector<unsigned char> chain_;  // in hand
  std::size_t used_ = 0;              // bytes of it
  std::vector<unsigned char> packed_;
  std::vector<std::uint32_t> places_;  // by variable: of its chain; 0: it has none
  std::vector<char> times_;
  bool is_zlib_ = false;
  std::uint64_t steps_ = 0, bytes_ = 0;  // in the file
  Lz4Packer lz4_;
  std::unique_ptr<Packer> packer_;
};

}  // namespace kb::waves
