#pragma once

#include <cstdint>
#include <vector>

#include "platform/address/segment_table.h"
#include "platform/contract/i_translator.h"
#include "platform/elab/block.h"
#include "platform/payload/messages.h"

namespace kb::modules {

// The mapping unit in front of PE_DMA: the segment table of one PE and the messages that change it. It is not a
// block and takes no time; PE_DMA adds access_overhead() to each access, as for a PE_MMU.
class Baaw final : public contract::ITranslator {
 public:
  explicit Baaw(TimeFs overhead) : overhead_(overhead) {}

  // Splits a logical extent where segments end; a physical extent needs no segment.
  std::optional<std::uint64_t> translate(const Extent& extent, std::vector<Extent>& physical) const override;
  TimeFs access_overhead() const override { return overhead_; }

  // Installs or removes segments when it is such a message; returns false for any other message. Throws
  // the program Error of the segment table.
  bool apply(const payload::Message* message);

  const address::SegmentTable& table() const { return table_; }
  void collect_statistics(std::vector<elab::Statistic>& statistics) const;

 private:
  address::SegmentTable table_;
  TimeFs overhead_;
  std::int64_t installs_ = 0;
  std::int64_t removals_ = 0;
  std::int64_t segments_ = 0;  // sum over all installs
};

}  // namespace kb::modules
