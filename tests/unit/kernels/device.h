// A machine without timing: tensors are in one memory, kernels run PE after PE, and the data engine computes.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "kernels/catalog.h"
#include "kernels/tl/shard_map.h"
#include "platform/data/element.h"
#include "tests/unit/kernels/functional_pe.h"
#include "tests/unit/kernels/layouts.h"

namespace kb::tests {

struct Device {
  data::MemoryStore memory{data::MemoryStore::Options{true, {}}};
  data::DataEngine engine;
  data::OperationRecorder recorder{engine};

  explicit Device(data::DataMode mode = data::DataMode::eager) : engine(mode, memory) {}

  void write(const contract::TensorLayout& tensor, const std::vector<double>& values) {
    const std::vector<std::byte> bytes = data::from_doubles(tensor.dtype, values);
    for (const contract::Shard& shard : tensor.shards) {
      memory.write(shard.pa, bytes.data() + shard.offset_bytes, shard.nbytes);
    }
  }

  // Reads a tensor as the first PE addresses it.
  std::vector<double> read(const contract::TensorLayout& tensor) {
    std::vector<Extent> extents;
    tl::ShardMap(tensor, pe_at(0, 0, 0)).append(0, tensor.nbytes, extents);
    return data::to_doubles(tensor.dtype, engine.read(extents));
  }

  std::size_t run(const contract::Kernel& kernel, const std::vector<contract::NamedArg>& args, std::uint32_t pes = 1) {
    std::size_t commands = 0;
    for (std::uint32_t p = 0; p < pes; ++p) {
      contract::PeInfo info = tl::RecordingPe::default_info();
      info.coord = pe_at(0, 0, p);
      info.scratch_pa = 0x900000000 + p * std::uint64_t{0x1000000};
      FunctionalPe pe(info, recorder);
      kernel.run(pe, args);
      commands += pe.commands();
    }
    return commands;
  }
};

inline contract::KernelArg as_arg(const LayoutPtr& layout) {
  return std::shared_ptr<const contract::TensorLayout>(layout);
}

}  // namespace kb::tests
