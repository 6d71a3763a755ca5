// Waveforms as a value change dump (IEEE 1364), readable by GTKWave.
#pragma once

#include <cstdint>
#include <cstdio>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "platform/base/glob.h"
#include "platform/contract/i_signal_observer.h"
#include "platform/observe/output_file.h"

namespace kb::observe {

// Takes changes in any order (blocks report planned and settled flits) and writes them in time order at the end, so
// nothing is in the file before finish(). Memory stays bounded: full buffers are sorted and put aside on disk.
// Of several changes of one signal at one time the latest reported counts. Observing never touches simulated time.
class VcdWriter final : public contract::ISignalObserver {
 public:
  struct Options {
    std::vector<std::string> filters;          // globs over "node.signal"; empty = every signal
    std::size_t buffered_changes = 4'000'000;  // 24 bytes each
  };
  VcdWriter(OutputFile& file, Options options);
  ~VcdWriter() override;

  contract::SignalId declare(const std::string& scope, const std::string& name, int bits) override;
  void change(contract::SignalId signal, TimeFs at, std::uint64_t value) override;

  // Completes the file, and its owner commits it; changes after `end` are left out. Configuration Error when the disk
  // is full.
  void finish(TimeFs end);
  // "--vcd-filter" patterns that no declared signal matched.
  std::vector<std::string> unmatched_filters() const;

  // Name of a declared signal, wanted or not, to show how they look; empty when there is none.
  const std::string& example() const { return example_; }

  std::size_t signals() const { return signals_.size(); }
  std::uint64_t changes() const { return reported_; }

 private:
  struct Signal {
    std::string scope, name;
    int bits = 1;
  };
  struct Change {
    TimeFs at;
    std::uint64_t value;
    std::uint32_t signal;
    std::uint32_t order;  // within its buffer
  };
  struct FileCloser {
    void operator()(std::FILE* f) const { std::fclose(f); }
  };
  using Spill = std::unique_ptr<std::FILE, FileCloser>;
  class Merger;

  void sort_buffer();
  void spill();
  std::string header() const;

  Options options_;
  OutputFile& file_;
  std::vector<Signal> signals_;
  std::vector<bool> matched_;
  std::string example_;
  std::vector<Change> buffer_;
  std::vector<Spill> spills_;
  std::uint64_t reported_ = 0;
};

}  // namespace kb::observe
