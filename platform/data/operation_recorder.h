// Converts reports of the blocks into operation records with physical addresses (P-78).
#pragma once

#include "platform/contract/i_operation_sink.h"
#include "platform/data/data_engine.h"

namespace kb::data {

// Numbers the operations in completion order, from 1.
class OperationRecorder final : public contract::IOperationSink {
 public:
  // `outside_writes`: whether writes of outside models get rows in the operation log.
  explicit OperationRecorder(DataEngine& engine, DataEngine::Logged outside_writes = DataEngine::Logged::yes)
      : engine_(engine), outside_writes_(outside_writes) {}

  void on_command(NodeId component, const contract::Command& command, const contract::ITranslator* translator,
                  TimeFs start, TimeFs end) override;
  void on_stage(NodeId component, const TileStage& tile, TimeFs start, TimeFs end) override;
  void on_message(NodeId component, const MessageCopy& message, const contract::ITranslator* translator, TimeFs start,
                  TimeFs end) override;
  void on_scratch_write(NodeId component, std::uint64_t pa, Dtype dtype, std::vector<std::byte> bytes,
                        TimeFs at) override;
  void on_host_write(NodeId component, const contract::MemoryWrite& write, TimeFs start, TimeFs end) override;
  // Reports bytes that a model outside the machine wrote to `destination`. They are not known in data mode off.
  void on_outside_write(NodeId component, std::vector<Extent> destination,
                        std::shared_ptr<const std::vector<std::byte>> buffer, TimeFs start, TimeFs end);
  std::vector<std::byte> kernel_read(const std::vector<Extent>& extents) override;
  std::optional<std::vector<std::byte>> read_if_known(const std::vector<Extent>& extents) override;

 private:
  // Translates the extents of record_; program Error PAGE_FAULT when a mapping no longer exists.
  void make_physical(const contract::ITranslator& translator);

  DataEngine& engine_;
  DataEngine::Logged outside_writes_;
  OpRecord record_;  // the latest command; reused, so that a command needs no allocation
  std::vector<Extent> physical_;
  std::uint64_t next_id_ = 1;
};

}  // namespace kb::data
