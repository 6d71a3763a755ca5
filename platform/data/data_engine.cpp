#include "platform/data/data_engine.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "platform/base/error.h"
#include "platform/data/executor.h"

namespace kb::data {

DataEngine::DataEngine(DataMode mode, MemoryStore& memory) : DataEngine(mode, memory, Options{}) {}

DataEngine::DataEngine(DataMode mode, MemoryStore& memory, Options options)
    : mode_(mode),
      memory_(memory),
      options_(std::move(options)),
      known_(memory),
      executor_(std::make_unique<Executor>(memory)) {}

DataEngine::~DataEngine() = default;

void DataEngine::complete(OpRecord&& record, Logged logged) {
  const std::uint64_t sequence = sequence_;
  if (logged == Logged::yes) {
    ++sequence_;
    if (options_.sink != nullptr) options_.sink->record(sequence, record);
  }
  switch (mode_) {
    case DataMode::off:
      return known_.apply(record);
    case DataMode::eager:
      return execute(sequence, record);
    case DataMode::replay:
      taint_.apply(sequence, record);
      if (pending_ == queue_.size()) queue_.emplace_back();
      queue_[pending_].sequence = sequence;
      std::swap(queue_[pending_++].record, record);
      if (pending_ > options_.max_pending) sync();
      return;
  }
}

void DataEngine::sync() {
  for (std::size_t done = 0; done < pending_; ++done) {
    OpRecord& record = queue_[done].record;
    try {
      execute(queue_[done].sequence, record);
    } catch (...) {
      std::rotate(queue_.begin(), queue_.begin() + static_cast<std::ptrdiff_t>(done) + 1, queue_.end());
      pending_ -= done + 1;  // the failed operation is removed as well
      throw;
    }
    if (auto* const write = std::get_if<WriteOp>(&record.op)) write->buffer.reset();
  }
  pending_ = 0;
}

void DataEngine::execute(std::uint64_t sequence, const OpRecord& record) {
  memory_.take_unwritten();  // the host's reads
  try {
    executor_->execute(record);
    if (const auto pa = memory_.take_unwritten()) note_unwritten(*pa, record);
  } catch (const Error& error) {
    const std::string component = component_name(record.component);
    const std::string pe = pe_name(record.component);
    const std::string call = *record.kernel == 0
                                 ? ""
                                 : fmt::format("kernel {}, {}, {}: ", record.kernel,
                                               contract::call_text(record.call, record.call_index, record.at), pe);
    throw Error(error.family(), error.code(),
                fmt::format("{}{} (in {} on {}, operation {} of the log, ended at {} ns)", call, error.what(),
                            record.name(), component, sequence, format_ns(record.end)));
  }
}

void DataEngine::note_unwritten(std::uint64_t pa, const OpRecord& record) {
  if (*record.kernel == 0) return;
  if (!unwritten_at_.emplace(record.place.value, record.at.file(), record.at.line()).second) return;
  unwritten_.push_back({pa, record.kernel, contract::call_text(record.call, record.call_index, record.at), record.at,
                        pe_name(record.component), record.place});
}

std::vector<std::byte> DataEngine::read(const std::vector<Extent>& extents) {
  auto known = contents(extents);
  return known ? std::move(*known) : std::vector<std::byte>(total_bytes(extents));
}

std::optional<std::vector<std::byte>> DataEngine::contents(const std::vector<Extent>& extents) {
  if (mode_ == DataMode::off) return known_.read(extents);
  sync();
  return memory_.gather(extents);
}

std::vector<std::byte> DataEngine::kernel_read(const std::vector<Extent>& extents) {
  if (mode_ == DataMode::off) {
    auto known = known_.read(extents);
    if (known) return std::move(*known);
    throw Error::program("DATA_ACCESS",
                         "a kernel reads contents that are not known in data mode off, which knows integers that the "
                         "host or the kernel wrote and that were only copied since; run with --data eager");
  }
  if (mode_ == DataMode::replay) {
    if (const auto found = taint_.find(extents)) {
      const auto& origin = found->origin;
      const std::string op =
          origin.name.empty() ? "gemm with result " + std::string(dtype_name(origin.dtype)) : std::string(origin.name);
      throw Error::program(
          "DATA_ACCESS",
          fmt::format(
              "a kernel reads contents at {} that {} on {} computes (operation {} of the log); in data mode replay "
              "they are computed after the kernel: run with --data eager",
              memory_.format_address(found->pa), op, component_name(origin.component), origin.sequence));
    }
    sync();
  }
  return memory_.gather(extents);
}

std::optional<std::vector<std::byte>> DataEngine::read_if_known(const std::vector<Extent>& extents) {
  return mode_ == DataMode::off ? known_.read(extents) : kernel_read(extents);
}

void DataEngine::count_unknown(NodeId component, const char* call, std::uint64_t call_index) {
  if (unknown_.count++ == 0) unknown_ = {1, component, call, call_index};
}

std::string DataEngine::pe_name(NodeId component) const {
  return options_.pe_name ? options_.pe_name(component) : component_name(component);
}

std::string DataEngine::component_name(NodeId component) const {
  if (!component.valid()) return "host";
  if (options_.component_name) return options_.component_name(component);
  return fmt::format("node {}", component.value);
}

}  // namespace kb::data
