#include "sw/model/program.h"

#include <fmt/format.h>

#include <algorithm>

namespace kb::sw {
namespace {

std::string value_text(const Program& program, const ProgramArg& arg) {
  if (const auto* tensor = std::get_if<TensorRef>(&arg.value)) {
    const ProgramTensor& one = program.tensors[tensor->index];
    return fmt::format("{} {} {} @{:#x}", one.name, dtype_name(one.dtype), format_shape(one.shape), one.offset);
  }
  if (const auto* multiple = std::get_if<RankMultiple>(&arg.value)) return fmt::format("rank * {}", multiple->step);
  if (const auto* integer = std::get_if<std::int64_t>(&arg.value)) return fmt::format("{}", *integer);
  if (const auto* real = std::get_if<double>(&arg.value)) return fmt::format("{}", *real);
  return std::get<std::string>(arg.value);
}

}  // namespace

bool ProgramLaunch::depends_on_rank() const {
  return std::any_of(args.begin(), args.end(),
                     [](const ProgramArg& arg) { return std::holds_alternative<RankMultiple>(arg.value); });
}

std::string program_text(const Program& program) {
  std::string text;
  for (const ProgramLaunch& launch : program.launches) {
    text += fmt::format("{:<24} {}\n", launch.layer < 0 ? launch.name : fmt::format("{}.{}", launch.layer, launch.name),
                        launch.is_sum() ? "sum over SIPs" : launch.kernel);
    for (const ProgramArg& arg : launch.args)
      text += fmt::format("    {:<13} {}\n", arg.name, value_text(program, arg));
  }
  return text;
}

}  // namespace kb::sw
