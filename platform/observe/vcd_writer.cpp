#include "platform/observe/vcd_writer.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <queue>
#include <string_view>

#include "platform/base/error.h"
#include "platform/base/split.h"
#include "platform/base/version.h"
#include "platform/observe/signal_block.h"

namespace kb::observe {
namespace {

// Short identifiers out of the printable characters '!' .. '~'.
std::string identifier(std::uint32_t index) {
  std::string id;
  do {
    id += static_cast<char>('!' + index % 94);
    index /= 94;
  } while (index != 0);
  return id;
}

void append_value(std::string& out, std::uint64_t value, int bits, std::uint32_t signal) {
  if (bits == 1) {
    out += (value & 1) != 0 ? '1' : '0';
  } else {
    out += 'b';
    int top = bits - 1;
    while (top > 0 && ((value >> top) & 1) == 0) --top;
    for (int i = top; i >= 0; --i) out += ((value >> i) & 1) != 0 ? '1' : '0';
    out += ' ';
  }
  out += identifier(signal);
  out += '\n';
}

Error spill_error() {
  return Error::configuration(std::string("cannot keep waveform data in a temporary file: ") + std::strerror(errno) +
                              "; record fewer signals with --vcd-filter or free some disk space");
}

// The file may have a name for a moment.
std::FILE* open_spill() {
  const SignalBlock block;
  return std::tmpfile();
}

}  // namespace

// Reads sorted buffers, on disk and in memory, as one sequence. Earlier buffers come first at equal times.
class VcdWriter::Merger {
 public:
  Merger(const std::vector<Spill>& spills, const std::vector<Change>& last) : last_(last) {
    for (const Spill& spill : spills) {
      std::rewind(spill.get());
      sources_.push_back(Source{spill.get(), {}, 0});
    }
    sources_.push_back(Source{nullptr, {}, 0});
    for (std::size_t i = 0; i < sources_.size(); ++i) advance(i);
  }

  bool next(Change& change) {
    if (heads_.empty()) return false;
    const Head head = heads_.top();
    heads_.pop();
    change = head.change;
    advance(head.source);
    return true;
  }

 private:
  struct Source {
    std::FILE* file;  // null = the buffer in memory
    std::vector<Change> block;
    std::size_t position;
  };
  struct Head {
    Change change;
    std::size_t source;
    bool operator<(const Head& other) const {  // for a queue with the earliest on top
      if (change.at != other.change.at) return change.at > other.change.at;
      return source > other.source;
    }
  };

  void advance(std::size_t index) {
    Source& source = sources_[index];
    if (source.file == nullptr) {
      if (source.position < last_.size()) heads_.push({last_[source.position++], index});
      return;
    }
    if (source.position == source.block.size()) {
      source.block.resize(4096);
      source.block.resize(std::fread(source.block.data(), sizeof(Change), source.block.size(), source.file));
      if (std::ferror(source.file) != 0) throw spill_error();
      source.position = 0;
    }
    if (source.position < source.block.size()) heads_.push({source.block[source.position++], index});
  }

  const std::vector<Change>& last_;
  std::vector<Source> sources_;
  std::priority_queue<Head> heads_;
};

VcdWriter::VcdWriter(OutputFile& file, Options options)
    : options_(std::move(options)), file_(file), matched_(options_.filters.size(), false) {}

VcdWriter::~VcdWriter() = default;

contract::SignalId VcdWriter::declare(const std::string& scope, const std::string& name, int bits) {
  if (bits < 1 || bits > 64) throw Error::model("waveform signal " + scope + "." + name + " must have 1 to 64 bits");
  const std::string full = scope + "." + name;
  if (example_.empty()) example_ = full;
  bool wanted = options_.filters.empty();
  for (std::size_t i = 0; i < options_.filters.size(); ++i) {
    if (!glob_match(options_.filters[i], full)) continue;
    wanted = true;
    matched_[i] = true;
  }
  if (!wanted) return contract::kNoSignal;
  signals_.push_back({scope, name, bits});
  return static_cast<contract::SignalId>(signals_.size() - 1);
}

void VcdWriter::change(contract::SignalId signal, TimeFs at, std::uint64_t value) {
  if (signal == contract::kNoSignal) return;
  buffer_.push_back({at, value, signal, static_cast<std::uint32_t>(buffer_.size())});
  ++reported_;
  if (buffer_.size() >= options_.buffered_changes) spill();
}

std::vector<std::string> VcdWriter::unmatched_filters() const {
  std::vector<std::string> missing;
  for (std::size_t i = 0; i < matched_.size(); ++i) {
    if (!matched_[i]) missing.push_back(options_.filters[i]);
  }
  return missing;
}

void VcdWriter::sort_buffer() {
  std::sort(buffer_.begin(), buffer_.end(),
            [](const Change& a, const Change& b) { return a.at != b.at ? a.at < b.at : a.order < b.order; });
}

void VcdWriter::spill() {
  sort_buffer();
  Spill file(open_spill());
  if (!file || std::fwrite(buffer_.data(), sizeof(Change), buffer_.size(), file.get()) != buffer_.size() ||
      std::fflush(file.get()) != 0) {
    throw spill_error();
  }
  spills_.push_back(std::move(file));
  buffer_.clear();
}

std::string VcdWriter::header() const {
  std::string out = "$version kernbench " + std::string(kVersion) + " $end\n$timescale 1 fs $end\n";
  // Children of one scope must be together, so variables are listed by scope; the order is that of the names.
  std::vector<std::pair<std::vector<std::string>, std::uint32_t>> order;
  for (std::uint32_t i = 0; i < signals_.size(); ++i) order.emplace_back(split(signals_[i].scope, '.'), i);
  std::stable_sort(order.begin(), order.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<std::string> open;
  for (const auto& [scope, index] : order) {
    std::size_t common = 0;
    while (common < open.size() && common < scope.size() && open[common] == scope[common]) ++common;
    for (; open.size() > common; open.pop_back()) out += "$upscope $end\n";
    for (; open.size() < scope.size(); open.push_back(scope[open.size()])) {
      out += "$scope module " + scope[open.size()] + " $end\n";
    }
    const Signal& signal = signals_[index];
    std::string name = signal.name;
    std::replace(name.begin(), name.end(), '.', '_');  // viewers take a dot for a scope
    out += "$var wire " + std::to_string(signal.bits) + ' ' + identifier(index) + ' ' + name;
    if (signal.bits > 1) out += " [" + std::to_string(signal.bits - 1) + ":0]";
    out += " $end\n";
  }
  for (; !open.empty(); open.pop_back()) out += "$upscope $end\n";
  return out + "$enddefinitions $end\n";
}

void VcdWriter::finish(TimeFs end) {
  file_.write(header());
  sort_buffer();
  std::vector<std::uint64_t> values(signals_.size(), 0), pending(signals_.size(), 0);
  std::vector<bool> touched(signals_.size(), false);
  std::vector<std::uint32_t> touched_list;
  std::string out = "#0\n$dumpvars\n";
  TimeFs written = 0_fs, at = 0_fs;
  bool initial = true;  // everything at time 0 is the initial dump
  const auto flush = [&] {
    std::sort(touched_list.begin(), touched_list.end());
    for (const std::uint32_t s : touched_list) {
      touched[s] = false;
      if (!initial && pending[s] == values[s]) continue;
      if (written != at) out += '#' + std::to_string((written = at).fs()) + '\n';
      values[s] = pending[s];
      append_value(out, values[s], signals_[s].bits, s);
    }
    touched_list.clear();
    if (out.size() > (1u << 16)) {
      file_.write(out);
      out.clear();
    }
  };
  const auto touch = [&](std::uint32_t s, std::uint64_t value) {
    pending[s] = value;
    if (!touched[s]) touched_list.push_back(s);
    touched[s] = true;
  };
  const auto end_initial = [&] {
    for (std::uint32_t s = 0; s < signals_.size(); ++s) touch(s, pending[s]);
    flush();
    out += "$end\n";
    initial = false;
  };
  Merger merger(spills_, buffer_);
  for (Change change{}; merger.next(change) && change.at <= end;) {
    if (change.at > at) {
      initial ? end_initial() : flush();
      at = change.at;
    }
    touch(change.signal, change.value);
  }
  initial ? end_initial() : flush();
  if (written != end) out += '#' + std::to_string(end.fs()) + '\n';
  file_.write(out);
  file_.complete();
}

}  // namespace kb::observe
