// Turns what the blocks report into operation records, which have physical addresses only (P-78).
#pragma once

#include "platform/contract/i_operation_sink.h"
#include "platform/data/data_engine.h"

namespace kb::data {

// Numbers the operations itself, in completion order from 1.
class OperationRecorder final : public contract::IOperationSink {
 public:
  // `outside_writes`: whether the operation log gets rows of them.
  explicit OperationRecorder(DataEngine& engine, DataEngine::Logged outside_writes = DataEngine::Logged::yes)
      : engine_(engine), outside_writes_(outside_writes) {}

  void on_command(NodeId component, const contract::Command& command, const contract::ITranslator* translator,
                  TimeFs start, TimeFs end) override;
  void on_stage(NodeId component, const plan::Stage& stage, std::uint64_t composite, std::uint64_t tile, TimeFs start,
                TimeFs end) override;
  void on_message(NodeId component, const MessageCopy& message, const contract::ITranslator* translator, TimeFs start,
                  TimeFs end) override;
  void on_scratch_write(NodeId component, std::uint64_t pa, Dtype dtype, std::vector<std::byte> bytes,
                        TimeFs at) override;
  void on_host_write(NodeId component, const contract::MemoryWrite& write, TimeFs start, TimeFs end) override;
  // Bytes from a model outside of the machine, in order, at `destination`. They are not known in data mode off.
  void on_outside_write(NodeId component, std::vector<Extent> destination,
                        std::shared_ptr<const std::vector<std::byte>> buffer, TimeFs start, TimeFs end);
  std::vector<std::byte> kernel_read(const std::vector<Extent>& extents) override;
  std::optional<std::vector<std::byte>> read_if_known(const std::vector<Extent>& extents) override;

 private:
  // The extents of record_; program Error PAGE_FAULT when a mapping is gone.
  void make_physical(const contract::ITranslator& translator);

  DataEngine& engine_;
  DataEngine::Logged outside_writes_;
  OpRecord record_;  // of the latest command; used again, so that a command costs no allocation
  std::vector<Extent> physical_;
  std::uint64_t next_id_ = 1;
};

}  // namespace kb::data
