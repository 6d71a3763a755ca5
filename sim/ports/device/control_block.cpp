#include "sim/ports/device/control_block.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <exception>
#include <utility>

#include "platform/base/error.h"
#include "platform/contract/completion.h"
#include "platform/contract/kernel.h"
#include "platform/contract/kernel_launch.h"
#include "platform/contract/requests.h"
#include "platform/contract/tensor_layout.h"
#include "platform/routing/memory_split.h"

namespace kb::sim {
namespace {

constexpr std::uint32_t kMaxArgs = 64;
constexpr std::uint32_t kMaxShards = 1u << 16;
constexpr std::uint64_t kCopyPart = 1 << 20;  // bytes per part of a copy; parts are sequential
// A copy has no dtype: up to this size it may contain indices, which data mode off tracks (decision 0047).
constexpr std::uint64_t kMostKnownBytes = 64 << 10;

static_assert(sizeof(kb_descriptor) == 128 && sizeof(kb_arg) == 64 && sizeof(kb_shard) == 32);

template <typename IdType>
std::vector<IdType> ids_of(std::uint64_t mask) {
  std::vector<IdType> ids;
  for (std::uint32_t i = 0; i < 64; ++i) {
    if ((mask >> i & 1) != 0) ids.push_back(IdType(i));
  }
  return ids;
}

std::uint32_t code_of(const Error& error) {
  if (error.code() == "ADDRESS_ERROR") return KB_ERROR_ADDRESS;
  return error.code() == "KERNEL_ERROR" ? KB_ERROR_KERNEL : KB_ERROR_ARGUMENT;
}

}  // namespace

ControlBlock::ControlBlock(const sc_core::sc_module_name& name, Device& device, HostPort& host,
                           const contract::IKernelCatalog& kernels, const modules::BridgeContext& context)
    : sc_core::sc_module(name),
      registers(
          "registers", [this](std::uint32_t offset) { on_register(offset); }, context,
          static_cast<std::uint32_t>(device.irq_lines())),
      device_(device),
      host_(host),
      kernels_(kernels),
      context_(context),
      dma_(device.host_memory, context.breach_report()),
      in_port_(context.mailbox.add_port()),
      out_port_(context.outward.add_port()),
      interrupts_(registers.irq_lines()) {
  SC_HAS_PROCESS(ControlBlock);
  SC_THREAD(run);
}

void ControlBlock::on_register(std::uint32_t offset) {
  const TimeFs now(static_cast<std::int64_t>(sc_core::sc_time_stamp().value()));
  if (offset == KB_REG_DOORBELL) {
    const std::uint32_t due = registers.get(KB_REG_DOORBELL) - fetched_;
    const std::uint32_t size = registers.get(KB_REG_QUEUE_SIZE);
    if (abandoned_ || due > size) {
      registers.set(KB_REG_DOORBELL, fetched_);
      if (!abandoned_) {
        tell({KB_ERROR_DESCRIPTOR,
              fmt::format(
                  "DOORBELL announces {} descriptors, but QUEUE_SIZE is {}; it counts those produced since reset "
                  "and never goes back",
                  due, size)},
             0);
      }
    } else if (due > 0) {
      registers.set(KB_REG_STATUS, registers.get(KB_REG_STATUS) | KB_STATUS_BUSY);
      context_.mailbox.post(now, in_port_, *this, kDoorbell);
    }
  } else if (offset >= KB_REG_IRQ_STATUS) {
    context_.outward.post(out_port_, *this, kInterrupt);
  }
}

void ControlBlock::on_inward(TimeFs, std::uint64_t step) {
  if (abandoned_) return;
  if (step == kDoorbell) {
    context_.platform.scheduler().wake(work_);
    return;
  }
  try {
    submitted_ = to_submit_();
  } catch (const Error& error) {
    if (error.family() == ErrorFamily::model) throw;
    refused_ = std::current_exception();
  }
  answer_ = true;
  context_.platform.scheduler().wake(answered_);
}

void ControlBlock::on_outward(std::uint64_t) {
  registers.set(KB_REG_DONE_COUNT, ended_);
  for (std::uint32_t line = 0; line < registers.irq_lines(); ++line) {
    const std::uint32_t status = KB_REG_IRQ_STATUS_OF(line);
    registers.set(status, registers.get(status) | std::exchange(interrupts_[line], 0));
  }
  update_status();
  for (std::uint32_t line = 0; line < registers.irq_lines(); ++line) {
    Device::IrqPort& port = device_.interrupt(static_cast<int>(line));
    if (port.size() == 0) continue;
    const bool level = (registers.get(KB_REG_IRQ_STATUS_OF(line)) & registers.get(KB_REG_IRQ_MASK_OF(line))) != 0;
    modules::call_foreign(std::string("the signal at ") + port.name(), [&] {
      for (int i = 0; i < port.size(); ++i) port[i]->write(level);
    });
  }
}

void ControlBlock::update_status() {
  registers.set(KB_REG_STATUS,
                (idle() ? 0 : KB_STATUS_BUSY) | (registers.get(KB_REG_ERROR) != KB_ERROR_NONE ? KB_STATUS_ERROR : 0));
}

void ControlBlock::run() {
  while (true) {
    while (fetched_ == registers.get(KB_REG_DOORBELL)) wait(work_);
    busy_ = true;
    const std::uint32_t index = fetched_++;
    try {
      process(index);
    } catch (const Mistake& mistake) {
      fail(mistake, line_);
    } catch (const Error& error) {
      if (error.family() == ErrorFamily::model || error.code() == "FOREIGN_EXCEPTION") {
        context_.platform.scheduler().fail(std::current_exception());  // no exception leaves this process
        return;
      }
      fail({code_of(error), error.what()}, line_);
    }
    busy_ = false;
    context_.outward.post(out_port_, *this, kInterrupt);
    context_.settled();
  }
}

void ControlBlock::process(std::uint64_t index) {
  const std::uint32_t size = registers.get(KB_REG_QUEUE_SIZE);
  if (size == 0) throw Mistake{KB_ERROR_DESCRIPTOR, "QUEUE_SIZE is 0; set it before the doorbell"};
  const std::uint64_t base = registers.get(KB_REG_QUEUE_BASE) | std::uint64_t{registers.get(KB_REG_QUEUE_BASE_HIGH)}
                                                                    << 32;
  kb_descriptor descriptor{};
  line_ = 0;
  fetch(base + index % size * sizeof descriptor, &descriptor, sizeof descriptor);
  if (descriptor.irq_line >= registers.irq_lines()) {
    throw Mistake{
        KB_ERROR_DESCRIPTOR,
        fmt::format("descriptor {} names the interrupt line {}, but there are {}; DeviceConfig::irqs sets how many",
                    index, descriptor.irq_line, registers.irq_lines())};
  }
  line_ = descriptor.irq_line;
  switch (descriptor.op) {
    case KB_OP_LAUNCH:
      launch(descriptor);
      return;
    case KB_OP_COPY_TO_DEVICE:
      copy_to_device(descriptor);
      break;
    case KB_OP_COPY_TO_HOST:
      copy_to_host(descriptor);
      break;
    case KB_OP_FENCE:
      while (open_ > 0) wait(answered_);
      break;
    default:
      throw Mistake{
          KB_ERROR_DESCRIPTOR,
          fmt::format("descriptor {} has operation {}; 1 is launch, 2 copy to device, 3 copy to host, 4 fence", index,
                      descriptor.op)};
  }
  descriptor_ended(descriptor.flags, line_, nullptr);
}

// Reads from host memory or, without it, from the device's own memory by a read request of the host.
void ControlBlock::fetch(std::uint64_t address, void* bytes, std::uint64_t count) {
  if (dma_.bound()) {
    if (dma_.read(address, static_cast<std::byte*>(bytes), count)) return;
    throw Mistake{KB_ERROR_HOST_MEMORY,
                  fmt::format("host memory answers a read at {:#x} with an error", dma_.fault_address())};
  }
  wait_for(submit([=] { return host_.submit(contract::MemoryRead{owner_of(address, count), address, count}); }));
  const std::vector<std::byte> contents = host_.read_memory(address, count);
  std::memcpy(bytes, contents.data(), count);
}

PeCoord ControlBlock::owner_of(std::uint64_t pa, std::uint64_t nbytes) const {
  const auto parts = routing::split_access(context_.platform.routes().resolver(), pa, nbytes);
  PeCoord owner = context_.platform.graph().node(parts.front().memory).pe_coord();
  if (!owner.pe.valid()) owner.pe = PeId(0);  // SRAM belongs to a cube
  return owner;
}

contract::RequestId ControlBlock::submit(std::function<contract::RequestId()> submit) {
  to_submit_ = std::move(submit);
  answer_ = false;
  context_.mailbox.post(TimeFs(static_cast<std::int64_t>(sc_core::sc_time_stamp().value())), in_port_, *this, kSubmit);
  while (!answer_) wait(answered_);
  if (refused_) std::rethrow_exception(std::exchange(refused_, nullptr));
  return submitted_;
}

void ControlBlock::wait_for(contract::RequestId request) {
  bool ended = false;
  host_.on_done(request, [this, &ended] {
    ended = true;
    context_.platform.scheduler().wake(answered_);
  });
  while (!ended) wait(answered_);
  const contract::Completion& completion = host_.completion(request);
  if (!completion.ok) throw Mistake{KB_ERROR_FAILED, completion.error_message};
}

void ControlBlock::launch(const kb_descriptor& descriptor) {
  const std::shared_ptr<const contract::KernelLaunch> launch = read_launch(descriptor);
  const contract::RequestId request = submit([&] { return host_.submit(launch); });
  ++open_;
  host_.on_done(request, [this, request, flags = descriptor.flags, line = line_] {
    --open_;
    descriptor_ended(flags, line, &host_.completion(request));
    context_.platform.scheduler().wake(answered_);
  });
}

std::shared_ptr<const contract::KernelLaunch> ControlBlock::read_launch(const kb_descriptor& descriptor) {
  const std::vector<std::string> names = kernels_.names();
  const auto name = std::find_if(names.begin(), names.end(), [&](const std::string& candidate) {
    return kb_kernel_hash(candidate.c_str()) == descriptor.kernel;
  });
  if (name == names.end()) {
    throw Mistake{KB_ERROR_KERNEL, fmt::format("no kernel's name has the hash {:#x}", descriptor.kernel)};
  }
  const contract::Kernel& kernel = *kernels_.find(*name);
  const std::string what = "launch of kernel '" + *name + "'";
  // A driver that was written for fewer parameters goes on working: what is left out at the end has to be optional.
  const std::size_t given = std::min<std::size_t>(descriptor.arg_count, kernel.parameters.size());
  const bool complete = std::all_of(kernel.parameters.begin() + static_cast<std::ptrdiff_t>(given),
                                    kernel.parameters.end(), [](const auto& parameter) { return parameter.optional; });
  if (!complete || descriptor.arg_count > kernel.parameters.size() || descriptor.arg_count > kMaxArgs) {
    throw Mistake{KB_ERROR_ARGUMENT, fmt::format("{}: {} arguments were given, but it has {} parameters", what,
                                                 descriptor.arg_count, kernel.parameters.size())};
  }
  auto launch = std::make_shared<contract::KernelLaunch>();
  launch->kernel = *name;
  launch->label = *name;
  launch->sip = SipId(descriptor.sip);
  launch->cubes = ids_of<CubeId>(descriptor.cubes);
  launch->pes = ids_of<PeId>(descriptor.pes);
  std::vector<kb_arg> args(descriptor.arg_count);
  if (!args.empty()) fetch(descriptor.args, args.data(), args.size() * sizeof(kb_arg));
  for (std::size_t i = 0; i < args.size(); ++i) {
    launch->args.push_back(read_arg(args[i], what + ", argument '" + kernel.parameters[i].name + "'"));
  }
  launch->args.resize(kernel.parameters.size());
  return launch;
}

contract::KernelArg ControlBlock::read_arg(const kb_arg& arg, const std::string& what) {
  switch (arg.kind) {
    case KB_ARG_NONE:
      return std::monostate();
    case KB_ARG_TENSOR:
      return read_tensor(arg, what);
    case KB_ARG_INTEGER:
      return static_cast<std::int64_t>(arg.value);
    case KB_ARG_REAL: {
      double value = 0;
      std::memcpy(&value, &arg.value, sizeof value);
      return value;
    }
    default:
      throw Mistake{KB_ERROR_ARGUMENT,
                    fmt::format("{}: kind {}; 0 is none, 1 tensor, 2 integer, 3 real", what, arg.kind)};
  }
}

contract::KernelArg ControlBlock::read_tensor(const kb_arg& arg, const std::string& what) {
  constexpr std::uint64_t kMaxElements = std::uint64_t{1} << 40;
  if (arg.dtype >= kDtypes) {
    throw Mistake{KB_ERROR_ARGUMENT, fmt::format("{}: dtype {}; the last one is {}", what, arg.dtype, kDtypes - 1)};
  }
  const auto shape_ok = [](std::uint64_t rows, std::uint64_t cols) {
    return rows > 0 && cols > 0 && rows <= kMaxElements && cols <= kMaxElements / rows;
  };
  const bool whole = arg.shard_count == 0;
  if (!shape_ok(arg.rows, arg.cols) || (!whole && !shape_ok(arg.shard_rows, arg.shard_cols)) ||
      arg.shard_count > kMaxShards) {
    throw Mistake{KB_ERROR_ARGUMENT, fmt::format("{}: a tensor of {} x {} in {} shards of {} x {}", what, arg.rows,
                                                 arg.cols, arg.shard_count, arg.shard_rows, arg.shard_cols)};
  }
  auto layout = std::make_shared<contract::TensorLayout>();
  layout->name = what;
  layout->dtype = static_cast<Dtype>(arg.dtype);
  layout->shape = {static_cast<std::int64_t>(arg.rows), static_cast<std::int64_t>(arg.cols)};
  layout->shard_shape = layout->shape;
  if (!whole)
    layout->shard_shape = {static_cast<std::int64_t>(arg.shard_rows), static_cast<std::int64_t>(arg.shard_cols)};
  layout->nbytes = arg.rows * arg.cols * item_size(layout->dtype);
  std::vector<kb_shard> shards(arg.shard_count);
  if (whole) {
    shards.push_back({arg.value, layout->nbytes, 0, 0});
  } else {
    fetch(arg.shards, shards.data(), shards.size() * sizeof(kb_shard));
  }
  for (const kb_shard& shard : shards) {
    layout->shards.push_back(
        {owner_of(shard.pa, std::max<std::uint64_t>(shard.bytes, 1)), shard.pa, shard.bytes, shard.offset});
  }
  return layout;
}

void ControlBlock::copy_to_device(const kb_descriptor& descriptor) {
  if (!dma_.bound()) throw Mistake{KB_ERROR_HOST_MEMORY, "a copy needs host memory; bind the device's host_memory"};
  for (std::uint64_t done = 0; done < descriptor.bytes;) {
    const std::uint64_t part = std::min(descriptor.bytes - done, kCopyPart);
    auto buffer = std::make_shared<std::vector<std::byte>>(part);
    fetch(descriptor.host + done, buffer->data(), part);
    contract::MemoryWrite write;
    write.pa = descriptor.device + done;
    write.nbytes = part;
    write.buffer = buffer;
    write.known = descriptor.bytes <= kMostKnownBytes;
    wait_for(submit([&] {
      write.owner = owner_of(write.pa, part);
      return host_.submit(write);
    }));
    done += part;
  }
}

void ControlBlock::copy_to_host(const kb_descriptor& descriptor) {
  if (!dma_.bound()) throw Mistake{KB_ERROR_HOST_MEMORY, "a copy needs host memory; bind the device's host_memory"};
  for (std::uint64_t done = 0; done < descriptor.bytes;) {
    const std::uint64_t part = std::min(descriptor.bytes - done, kCopyPart);
    const std::uint64_t pa = descriptor.device + done;
    wait_for(submit([&] { return host_.submit(contract::MemoryRead{owner_of(pa, part), pa, part}); }));
    const std::vector<std::byte> contents = host_.read_memory(pa, part);
    if (!dma_.write(descriptor.host + done, contents.data(), part)) {
      throw Mistake{KB_ERROR_HOST_MEMORY,
                    fmt::format("host memory answers a write at {:#x} with an error", dma_.fault_address())};
    }
    done += part;
  }
}

void ControlBlock::descriptor_ended(std::uint32_t flags, std::uint32_t line, const contract::Completion* completion) {
  if (completion != nullptr && !completion->ok) {
    fail({KB_ERROR_FAILED, completion->error_message}, line);
    return;
  }
  ++ended_;
  if ((flags & KB_FLAG_INTERRUPT) != 0) interrupts_[line] |= KB_IRQ_DONE;
  context_.outward.post(out_port_, *this, kInterrupt);
  context_.settled();
}

void ControlBlock::fail(const Mistake& mistake, std::uint32_t line) {
  ++ended_;
  tell(mistake, line);
}

void ControlBlock::tell(const Mistake& mistake, std::uint32_t line) {
  context_.report_fault({modules::OutsideFault::Kind::driver_mistake,
                         fmt::format("{}: mistakes with ERROR {}", name(), mistake.code),
                         fmt::format("{}: {} (at {})", name(), mistake.text, sc_core::sc_time_stamp().to_string())});
  if (registers.get(KB_REG_ERROR) == KB_ERROR_NONE) registers.set(KB_REG_ERROR, mistake.code);
  interrupts_[line] |= KB_IRQ_ERROR;
  context_.outward.post(out_port_, *this, kInterrupt);
  context_.settled();
}

// A driver that waits for an interrupt gets one on every line.
void ControlBlock::abandon() {
  if (std::exchange(abandoned_, true) || idle_inside()) return;
  if (registers.get(KB_REG_ERROR) == KB_ERROR_NONE) registers.set(KB_REG_ERROR, KB_ERROR_FAILED);
  ended_ = registers.get(KB_REG_DOORBELL);
  for (std::uint32_t& line : interrupts_) line |= KB_IRQ_ERROR;
  context_.outward.post(out_port_, *this, kInterrupt);
}

void ControlBlock::collect_waits(std::vector<elab::WaitInfo>& waits) const {
  if (busy_) waits.push_back({name(), fmt::format("the end of descriptor {}", fetched_ - 1), 0_fs});
  if (const std::string access = dma_.waits_for(); !access.empty()) {
    waits.push_back({name(), access, dma_.waits_since()});
  }
}

}  // namespace kb::sim
