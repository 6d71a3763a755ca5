#include "sim/study/step/launch_key.h"

#include <fmt/format.h>

#include "platform/address/channel_stripe.h"
#include "platform/topology/sha256.h"
#include "sim/study/files/files.h"
#include "sim/study/step/timing_digest.h"

namespace kb::step {
namespace {

constexpr std::size_t kKeyDigits = 32;

std::string digest(const std::string& text) {
  return topology::sha256_hex(text).substr(0, kKeyDigits);
}

// All keys of the machine with their values, but for what an event costs; file names and origins do not matter.
std::string machine_text(const topology::LoadedTopology& machine, bool with_system) {
  std::string text;
  for (const auto& [key, value] : machine.config) {
    if (key.rfind("energy.", 0) == 0) continue;
    if (with_system || key.rfind("system.sips.", 0) != 0) text += key + "=" + value.value + "\n";
  }
  return text;
}

}  // namespace

std::string address_class(std::uint64_t offset, std::uint64_t bytes, const model::ArenaGeometry& geometry) {
  if (geometry.hash == address::ChannelHash::none) return fmt::format("{}", offset % geometry.period());
  // The smallest aligned power of two around the tensor: below it no digit of an offset in the tensor carries.
  std::uint64_t room = geometry.burst_bytes;
  while (offset / room != (offset + bytes - 1) / room) room *= 2;
  if (geometry.pes_per_cube > 1 && geometry.slice_bytes % room != 0) return fmt::format("@{}", offset);
  const address::ChannelStripe stripe(geometry.burst_bytes, geometry.channels, geometry.hash);
  const std::uint64_t begin = offset / room * room;
  std::string text = fmt::format("{}+", offset - begin);
  for (std::int64_t pe = 0; pe < geometry.pes_per_cube; ++pe) {
    text += fmt::format("{},", stripe.channel_of(static_cast<std::uint64_t>(pe) * geometry.slice_bytes + begin));
  }
  return text;
}

std::string machine_key(const topology::LoadedTopology& machine, bool with_system, const std::string& identity) {
  return digest(identity + machine_text(machine, with_system));
}

std::string program_identity(const std::vector<std::string>& plugins) {
  std::string text = timing_digest();
  for (const std::string& file : plugins) text += topology::sha256_hex(files::read_file(file));
  return digest(text);
}

LaunchKeys::LaunchKeys(const sw::Program& program, const topology::LoadedTopology& one,
                       const topology::LoadedTopology& all, const std::string& identity)
    : program_(program), one_(machine_key(one, false, identity)), all_(machine_key(all, true, identity)) {
  const model::ArenaGeometry geometry = model::arena_geometry(one.graph.spec);
  for (const sw::ProgramTensor& tensor : program.tensors) {
    std::string numbers;
    for (const double number : tensor.numbers) numbers += fmt::format(" {}", number);
    tensors_.push_back(fmt::format(
        "{} {} {} {} {}", dtype_name(tensor.dtype), format_shape(tensor.shape), static_cast<int>(tensor.spread),
        tensor.memory == MemoryKind::tcm ? "tcm" : address_class(tensor.offset, tensor.part, geometry),
        numbers.empty() ? "" : digest(numbers)));
  }
}

std::string LaunchKeys::launch(std::size_t launch, std::int64_t rank) const {
  const sw::ProgramLaunch& one = program_.launches[launch];
  std::string text = one_ + "\n" + one.kernel + "\n";
  for (const sw::ProgramArg& arg : one.args) {
    text += arg.name + "=";
    if (const auto* ref = std::get_if<sw::TensorRef>(&arg.value)) {
      text += tensor(ref->index);
      // Arguments that are one tensor, or share bytes, cannot be told from their classes.
      for (const sw::ProgramArg& other : one.args) {
        const auto* const same = std::get_if<sw::TensorRef>(&other.value);
        if (same != nullptr && same->index == ref->index) text += " " + other.name;
      }
    } else if (const auto* multiple = std::get_if<sw::RankMultiple>(&arg.value)) {
      text += fmt::format("{}", rank * multiple->step);
    } else if (const auto* integer = std::get_if<std::int64_t>(&arg.value)) {
      text += fmt::format("{}", *integer);
    } else if (const auto* real = std::get_if<double>(&arg.value)) {
      text += fmt::format("{:a}", *real);
    } else {
      text += std::get<std::string>(arg.value);
    }
    text += "\n";
  }
  return digest(text);
}

std::string LaunchKeys::sum(std::size_t launch, const std::vector<TimeFs>& offsets) const {
  std::string text =
      all_ + "\nsum " + tensor(std::get<sw::TensorRef>(program_.launches[launch].args.at(0).value).index);
  for (const TimeFs offset : offsets) text += fmt::format(" {}", offset.fs());
  return digest(text);
}

std::string LaunchKeys::figure(const std::string& name) const {
  return digest(one_ + "\n" + name);
}

std::string LaunchKeys::host_turn() const {
  return digest(one_ + "\nhost " + tensor(program_.best) + " " + tensor(program_.best_logit) + " " +
                tensor(program_.ids));
}

}  // namespace kb::step
