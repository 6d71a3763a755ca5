// The blocks of an FST file. The format has no official specification; the reference is GTKWave's reader fstapi.c
// (https://github.com/gtkwave/gtkwave, lib/libfst), and https://blog.timhutt.co.uk/fst_spec/ describes it.
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

// Variables of a file. A signal has one variable, and a signal with words has a second one of variable length. They are
// numbered in the order in which a viewer shows them.
class FstVariables {
 public:
  struct Variable {
    std::uint32_t signal = 0;
    std::uint16_t bits = 1;      // 0: text
    std::uint32_t in_frame = 0;  // offset of its digits in the frame
  };
  // `earlier`: signal counts at earlier numberings, ascending. Earlier variables keep their numbers; later ones follow
  // in scopes that are opened again.
  FstVariables(const std::vector<contract::SignalInfo>& signals, const std::vector<std::size_t>& earlier);

  const std::vector<Variable>& all() const { return all_; }
  const std::vector<std::string>& words(std::uint32_t signal) const { return words_[signal]; }
  std::size_t frame_bytes() const { return frame_bytes_; }
  // The blocks that declare the variables.
  std::string hierarchy() const;
  std::string geometry() const;
  std::uint64_t scopes() const { return scopes_; }

 private:
  void declare(const std::vector<contract::SignalInfo>& signals, std::size_t begin, std::size_t end);
  void put_variable(unsigned char kind, const std::string& name, std::uint64_t bits);

  std::vector<Variable> all_;
  std::vector<std::vector<std::string>> words_;  // indexed by signal
  std::size_t frame_bytes_ = 0;
  std::uint64_t scopes_ = 0;
  std::string hierarchy_;  // uncompressed
};

// The file header: 330 bytes.
std::string fst_header(TimeFs from, TimeFs until, const FstVariables& variables, std::uint64_t sections);

// Renders sections as value change blocks. A block has the values of all variables at its begin (the frame), a chain of
// changes for each changed variable, the positions of the chains, and the times.
class FstSections {
 public:
  explicit FstSections(const FstVariables& variables);
  ~FstSections();

  // Sets the value of a signal at the begin of the next block.
  void set_value(std::uint32_t signal, std::uint64_t value);
  // `from` is the end of the previous block, so that there are no gaps. With `with_values`, the values at `from` are
  // written as changes, too: the first block needs this, because frames do not contain texts and readers ignore the
  // first frame. The result is valid until the next call.
  std::string_view render(const Section& section, TimeFs from, bool with_values);
  const std::vector<std::uint64_t>& values() const { return values_; }
  // Applies the changes of the rendered section, so that they are in the frame of the next block.
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
  std::vector<std::uint64_t> values_;             // indexed by signal
  std::vector<FstVariables::Variable> in_frame_;  // indexed by signal
  std::string frame_;                             // one digit per bit
  std::vector<std::uint32_t> runs_;               // indexed by signal: 1 + index of its run in the section; 0: no run
  std::string block_;
  std::size_t chains_ = 0;            // offset of the chains in the block
  std::vector<unsigned char> chain_;  // the current chain
  std::size_t used_ = 0;              // used bytes of the chain
  std::vector<unsigned char> packed_;
  std::vector<std::uint32_t> places_;  // indexed by variable: offset of its chain; 0: no chain
  std::vector<char> times_;
  bool is_zlib_ = false;
  std::uint64_t steps_ = 0, bytes_ = 0;  // totals of the file
  Lz4Packer lz4_;
  std::unique_ptr<Packer> packer_;
};

}  // namespace kb::waves
