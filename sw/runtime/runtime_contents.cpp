// Reads and writes of tensor contents by the host, and the contents that data mode off knows.
#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "platform/contract/requests.h"
#include "platform/contract/tensor_layout.h"
#include "platform/ops/op_types.h"
#include "sw/runtime/runtime.h"

namespace kb::sw {

ITensorContext::Contents Runtime::read(HostRead why, const contract::TensorLayout& layout,
                                       const std::vector<ShardRun>& runs) {
  const int caller = host_.current_worker();
  const std::string reason = fmt::format("{} of tensor '{}'", host_read_name(why), layout.name);
  settle(tracker_.take([&](const Outstanding& r) { return caller == kMainProgram || r.rank == caller; }, reason), true);

  const auto shared = memory_.layout(layout.id);
  std::set<contract::RequestId> reads;
  for (const ShardRun& run : runs) {
    const contract::Shard& shard = layout.shards[run.shard];
    const contract::RequestId id = host_.submit(contract::MemoryRead{shard.owner, shard.pa + run.offset, run.nbytes});
    tracker_.add({id, caller, RequestKind::read, shared, run.shard, nullptr, 0});
    reads.insert(id);
  }
  settle(tracker_.take([&](const Outstanding& r) { return reads.count(r.request) != 0; }, reason), true);

  Contents contents;
  for (const ShardRun& run : runs) {
    const auto part = host_.read_if_known(layout.shards[run.shard].pa + run.offset, run.nbytes);
    contents.known = contents.known && part.has_value();
    if (part) contents.bytes.insert(contents.bytes.end(), part->begin(), part->end());
    if (!part) contents.bytes.resize(contents.bytes.size() + run.nbytes);
  }
  if (contents.known) return contents;
  std::fill(contents.bytes.begin(), contents.bytes.end(), std::byte{0});
  // Printing does not use the numbers, and a copy is marked as unknown itself.
  if (why != HostRead::print && why != HostRead::copy_source) ++unknown_reads_;
  return contents;
}

void Runtime::assume_independent_writes() {
  forgotten_reads_[host_.current_worker()] = unknown_reads_;
}

// Narrow integers are mostly operands, which are rarely read as indices.
bool Runtime::writes_known(const contract::TensorLayout& layout) const {
  constexpr std::uint64_t kMostBytes = 1 << 20;
  if (is_float(layout.dtype) || (item_size(layout.dtype) < item_size(Dtype::i32) && layout.nbytes > kMostBytes)) {
    return false;
  }
  const auto forgotten = forgotten_reads_.find(host_.current_worker());
  return unknown_reads_ == (forgotten == forgotten_reads_.end() ? 0 : forgotten->second);
}

void Runtime::write(const contract::TensorLayout& layout, const std::vector<ShardRun>& runs,
                    std::shared_ptr<const std::vector<std::byte>> buffer, bool known) {
  for (const ShardRun& run : runs) {
    contract::MemoryWrite write;
    write.buffer = buffer;
    write.buffer_offset = run.buffer_offset;
    write.known = known && writes_known(layout);
    submit_write(layout, run, std::move(write));
  }
}

void Runtime::fill(const contract::TensorLayout& layout, const std::vector<ShardRun>& runs, contract::Pattern pattern) {
  for (const ShardRun& run : runs) {
    contract::MemoryWrite write;
    write.pattern = pattern;
    write.known = writes_known(layout);
    submit_write(layout, run, std::move(write));
  }
}

void Runtime::submit_write(const contract::TensorLayout& layout, const ShardRun& run, contract::MemoryWrite write) {
  contents_made_ = true;
  const contract::Shard& shard = layout.shards[run.shard];
  write.owner = shard.owner;
  write.pa = shard.pa + run.offset;
  write.nbytes = run.nbytes;
  write.memory = layout.memory;
  tracker_.add({host_.submit(write), host_.current_worker(), RequestKind::write, memory_.layout(layout.id), run.shard,
                nullptr, 0});
}

}  // namespace kb::sw
