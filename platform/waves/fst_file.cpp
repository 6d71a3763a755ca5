#include "platform/waves/fst_file.h"

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "platform/waves/fst_blocks.h"
#include "platform/waves/growing_file.h"

namespace kb::waves {
namespace {

// The header declares the signals before any changes, so that a partial file is readable.
class FstFile final : public IWaveFile {
 public:
  explicit FstFile(observe::OutputFile& file) : file_(file, GrowingFile::Layout::blocks) {}

  void begin(const std::vector<contract::SignalInfo>& signals, TimeFs from,
             const std::vector<std::uint64_t>& values) override {
    if (sections_ == 0) from_ = until_ = from;
    sections_ = std::max<std::uint64_t>(sections_, 1);
    std::vector<std::uint64_t> now = blocks_ ? blocks_->values() : values;
    now.insert(now.end(), values.begin() + static_cast<std::ptrdiff_t>(now.size()), values.end());
    variables_.emplace(signals, declared_);
    declared_.push_back(signals.size());
    blocks_.emplace(*variables_);
    for (std::uint32_t s = 0; s < signals.size(); ++s) blocks_->set_value(s, values[s]);
    declarations_ = variables_->hierarchy() + variables_->geometry();
    declarations_ += blocks_->render({}, from_, true);
    for (std::uint32_t s = 0; s < signals.size(); ++s) blocks_->set_value(s, now[s]);
    set_head(until_, sections_);
  }

  void add(const Section& section) override {
    if (section.steps.empty()) return;
    file_.append(blocks_->render(section, until_, false));
    blocks_->advance(section);
    until_ = section.times.back();
    set_head(until_, ++sections_);
  }

  void show(const Section& section, TimeFs at) override {
    file_.show(blocks_->render(section, until_, false));
    set_head(std::max(at, until_), sections_ + 1);
  }

  void end(TimeFs at) override {
    Section last;
    if (at > until_) {
      last.times.push_back(at);
      file_.append(blocks_->render(last, until_, false));
      ++sections_;
    }
    set_head(std::max(at, until_), sections_);
    file_.complete();
  }

 private:
  void set_head(TimeFs until, std::uint64_t sections) {
    file_.set_head(fst_header(from_, until, *variables_, sections) + declarations_);
  }

  GrowingFile file_;
  std::optional<FstVariables> variables_;
  std::optional<FstSections> blocks_;
  std::vector<std::size_t> declared_;  // number of signals at each begin()
  std::string declarations_;
  TimeFs from_ = 0_fs, until_ = 0_fs;
  std::uint64_t sections_ = 0;
};

}  // namespace

std::unique_ptr<IWaveFile> make_fst_file(observe::OutputFile& file) {
  return std::make_unique<FstFile>(file);
}

}  // namespace kb::waves
