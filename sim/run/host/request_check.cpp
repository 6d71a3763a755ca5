#include "sim/run/host/request_check.h"

#include <fmt/format.h>

#include <string>
#include <variant>
#include <vector>

#include "platform/address/address_space.h"
#include "platform/address/phys_addr.h"
#include "platform/base/error.h"
#include "platform/base/names.h"
#include "platform/base/nearest.h"
#include "platform/contract/kernel.h"
#include "platform/contract/kernel_launch.h"
#include "platform/contract/requests.h"
#include "platform/contract/tensor_layout.h"

namespace kb::sim {
namespace {

using address::AddressSpace;

[[noreturn]] void schema_error(const std::string& message) {
  throw Error::program("SCHEMA_ERROR", message);
}

template <typename Tag>
void check_index(const std::string& what, const char* field, Id<Tag> index, int count) {
  if (!index.valid()) schema_error(what + ": field '" + field + "' is missing");
  if (index.value >= static_cast<std::uint32_t>(count)) {
    schema_error(what + ": " + field + " " + std::to_string(index.value) + " does not exist; the machine has " +
                 std::to_string(count) + " (0 to " + std::to_string(count - 1) + ")");
  }
}

template <typename Tag>
void check_targets(const std::string& what, const char* field, const std::vector<Id<Tag>>& list, int count) {
  if (list.empty()) schema_error(what + ": field '" + field + "' is empty; name at least one");
  for (std::size_t i = 0; i < list.size(); ++i) {
    check_index(what, field, list[i], count);
    if (i > 0 && !(list[i - 1] < list[i])) {
      schema_error(what + ": field '" + field + "' must be ascending without repetition, but " +
                   std::to_string(list[i].value) + " follows " + std::to_string(list[i - 1].value));
    }
  }
}

void check_owner(const topology::MachineSpec& spec, const std::string& what, const PeCoord& owner) {
  check_index(what, "sip", owner.sip, spec.sip_count);
  check_index(what, "cube", owner.cube, spec.cubes_per_sip());
  check_index(what, "pe", owner.pe, spec.pes_per_cube());
}

void check_space(const topology::MachineSpec& spec, const std::string& what, AddressSpace space) {
  const auto expected = static_cast<AddressSpace>(spec.address_model);  // the same order
  if (space == expected) return;
  if (expected == AddressSpace::pa) {
    schema_error(what + ": this machine's tensors have physical addresses; set cube.memory_map.address_model to va");
  }
  schema_error(fmt::format("{}: this machine addresses tensors by {} (cube.memory_map.address_model)", what,
                           address::address_space_name(expected)));
}

void check_pages(const topology::MachineSpec& spec, const std::string& what, const contract::MapRequest& request) {
  if (request.page_size != spec.page_size) {
    schema_error(
        fmt::format("{}: the virtual range was allocated in pages of {} bytes, but PE_MMU has pages of {}; "
                    "both take cube.memory_map.page_size",
                    what, request.page_size, spec.page_size));
  }
  const std::uint64_t base = address::value_of(*request.tensor->va_base);
  if (base % spec.page_size == 0) return;
  throw Error::program("ADDRESS_ERROR", fmt::format("{}: the range does not start at a page of {} bytes; {:#x} does",
                                                    what, spec.page_size, base - base % spec.page_size));
}

}  // namespace

void check_memory_request(const topology::MachineSpec& spec, const char* what, const PeCoord& owner,
                          std::uint64_t nbytes) {
  check_owner(spec, what, owner);
  if (nbytes == 0) schema_error(std::string(what) + ": field 'nbytes' is 0; a memory request moves at least one byte");
}

void check_write_source(const contract::MemoryWrite& request, contract::DataMode mode) {
  if (request.buffer) {
    if (mode == contract::DataMode::off && request.buffer->empty() && !request.known) return;
    const std::uint64_t size = request.buffer->size();
    if (request.buffer_offset > size || request.nbytes > size - request.buffer_offset) {
      schema_error("MemoryWrite: the host buffer has " + std::to_string(size) + " bytes, but bytes " +
                   std::to_string(request.buffer_offset) + " to " +
                   std::to_string(request.buffer_offset + request.nbytes) + " are to be written");
    }
    return;
  }
  const unsigned width = request.pattern.width;
  if (width != 1 && width != 2 && width != 4 && width != 8) {
    schema_error("MemoryWrite: pattern width " + std::to_string(width) + " is not one of 1, 2, 4, 8 bytes");
  }
  if (request.nbytes % width != 0) {
    schema_error("MemoryWrite: " + std::to_string(request.nbytes) + " bytes are not a multiple of the pattern width " +
                 std::to_string(width));
  }
}

void check_memory_kind(const contract::MemoryWrite& request) {
  if (!request.memory) return;
  const address::PhysAddr at = address::PhysAddr::decode(request.pa);
  const bool right = *request.memory == MemoryKind::hbm    ? at.is_hbm()
                     : *request.memory == MemoryKind::sram ? at.is_sram()
                                                           : at.is_tcm();
  if (right) return;
  throw Error::program("ADDRESS_ERROR", fmt::format("MemoryWrite: dst_mem_kind is {}, but the address is {}",
                                                    name_of(*request.memory), at.to_string()));
}

void check_placement(const topology::Node& memory, const PeCoord& owner, std::uint64_t pa) {
  const bool same_cube = memory.sip == owner.sip && memory.cube == owner.cube;
  if (same_cube && (!memory.pe.valid() || memory.pe == owner.pe)) return;
  throw Error::program("ADDRESS_ERROR",
                       fmt::format("the placement tag {} disagrees with the address {:#x}, which lies in {}",
                                   pe_name(owner), pa, memory.id));
}

std::string mapping_text(const contract::MapRequest& request) {
  const contract::TensorLayout& tensor = *request.tensor;
  return fmt::format("{} of tensor '{}' {} {} at {}", request.unmap ? "unmap" : "map", tensor.name,
                     dtype_name(tensor.dtype), format_shape(tensor.shape), address::encoded_text(*tensor.va_base));
}

void check_map(const topology::MachineSpec& spec, const contract::MapRequest& request) {
  if (request.tensor == nullptr) schema_error("MapRequest: field 'tensor' is missing");
  if (!request.tensor->va_base || address::space_of(*request.tensor->va_base) == AddressSpace::pa) {
    schema_error("MapRequest: tensor '" + request.tensor->name + "' has no virtual or logical address range");
  }
  const std::string what = mapping_text(request);
  check_space(spec, what, address::space_of(*request.tensor->va_base));
  check_index(what, "sip", request.sip, spec.sip_count);
  if (!request.cubes.empty()) check_targets(what, "cubes", request.cubes, spec.cubes_per_sip());
  if (!request.pes.empty()) check_targets(what, "pes", request.pes, spec.pes_per_cube());
  if (spec.address_model == AddressModel::va) check_pages(spec, what, request);
  const std::uint64_t base = address::value_of(*request.tensor->va_base);
  const std::uint64_t nbytes = request.tensor->nbytes;
  for (const contract::MapRequest::Entry& entry : request.entries) {
    const std::uint64_t offset = entry.va - base;
    if (offset <= nbytes && entry.nbytes <= nbytes - offset) continue;
    throw Error::program(
        "ADDRESS_ERROR",
        fmt::format("{}: the entry of {} bytes at {} {:#x} is outside of the tensor's {} bytes", what, entry.nbytes,
                    address_space_name(address::space_of(*request.tensor->va_base)), entry.va, nbytes));
  }
}

void check_launch(const topology::MachineSpec& spec, const contract::IKernelCatalog* kernels,
                  const contract::KernelLaunch& launch) {
  const std::string what = "launch of kernel '" + launch.name() + "'";
  const contract::Kernel* const kernel = kernels == nullptr ? nullptr : kernels->find(launch.kernel);
  if (kernel == nullptr) {
    const std::vector<std::string> known = kernels == nullptr ? std::vector<std::string>{} : kernels->names();
    throw Error::program("KERNEL_ERROR",
                         "unknown kernel '" + launch.kernel + "' (" +
                             (known.empty() ? "no kernel is registered" : suggest(launch.kernel, known)) + ")");
  }
  check_index(what, "sip", launch.sip, spec.sip_count);
  check_targets(what, "cubes", launch.cubes, spec.cubes_per_sip());
  check_targets(what, "pes", launch.pes, spec.pes_per_cube());
  if (launch.start_barrier) {
    check_targets(what, "start_barrier.cubes", launch.start_barrier->cubes, spec.cubes_per_sip());
    check_targets(what, "start_barrier.pes", launch.start_barrier->pes, spec.pes_per_cube());
  }
  contract::check_bound(kernel->name, kernel->parameters, launch.args);
  for (std::size_t i = 0; i < launch.args.size(); ++i) {
    const auto* tensor = std::get_if<std::shared_ptr<const contract::TensorLayout>>(&launch.args[i]);
    if (tensor == nullptr) continue;
    const std::string arg = what + ", argument '" + kernel->parameters[i].name + "'";
    if ((*tensor)->shards.empty()) schema_error(arg + ": tensor '" + (*tensor)->name + "' has no shards");
    for (const contract::Shard& shard : (*tensor)->shards) {
      check_owner(spec, arg + ", a shard of tensor '" + (*tensor)->name + "'", shard.owner);
    }
  }
}

}  // namespace kb::sim
