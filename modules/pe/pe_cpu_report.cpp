// Reports of PE_CPU: causes of errors, the table of waits, statistics.
#include <fmt/format.h>

#include "modules/pe/pe_cpu.h"
#include "platform/address/address_space.h"
#include "platform/base/names.h"
#include "platform/contract/kernel_arguments.h"
#include "platform/contract/kernel_launch.h"
#include "platform/contract/tensor_layout.h"
#include "platform/payload/messages.h"

namespace kb::modules {

// ": it belongs to tensor 'a' ..." when a tensor argument of the running kernel covers the address, otherwise "".
std::string PeCpu::tensor_at(std::uint64_t fault) const {
  if (fault == 0 || launches_.empty()) return "";
  for (const contract::KernelArg& argument : message(launches_.front()).launch->args) {
    const auto* const tensor = std::get_if<std::shared_ptr<const contract::TensorLayout>>(&argument);
    if (tensor == nullptr || !(*tensor)->va_base) continue;
    const std::uint64_t offset = fault - *(*tensor)->va_base;
    if (offset >= (*tensor)->nbytes) continue;
    return fmt::format(
        ": byte {} of tensor '{}' {} {} at {}, which is not visible from {}; a tensor that is replicated "
        "over cubes is mapped in the cubes that hold a copy, and only on its own SIP",
        offset, (*tensor)->name, dtype_name((*tensor)->dtype), format_shape((*tensor)->shape),
        address::encoded_text(*(*tensor)->va_base), pe_name(info_.coord));
  }
  return ": it belongs to no tensor argument of the kernel";
}

std::string PeCpu::call_in_progress() const {
  if (!current_ || *current_->name == '\0') return "";
  return ", " + contract::call_text(current_->name, current_->index, current_->at);
}

std::string PeCpu::after_call() const {
  const elab::Foreground::View view = scheduler().foreground().view();
  if (view.call == nullptr || *view.call == '\0') return "";
  return " (after " + contract::call_text(view.call, view.index, view.at) + ")";
}

void PeCpu::collect_waits(std::vector<elab::WaitInfo>& waits) const {
  if (launches_.empty()) return;
  const payload::KernelLaunchMsg& running = message(launches_.front());
  std::string kernel = running.launch->name();
  // A failed kernel still waits for its asynchronous commands, which may hide the failure; the report names it.
  if (!result_.error_code.empty()) {
    kernel += fmt::format(" (has failed: {}: {})", result_.error_code, result_.error_message);
  }
  std::string what = state_ == State::running ? "the end of its own code" : "its turn";
  if (state_ == State::waiting_for_start) {
    what = running.launch->start_barrier ? "the PEs of the launches before it"
                                         : "its start at " + format_ns(running.target_start) + " ns";
  }
  std::string call, line;
  if (current_) {
    if (*current_->name != '\0') call = ", " + contract::call_text(current_->name, current_->index, {});
    line = contract::position_text(current_->at.file(), current_->at.line());
    what = fmt::format("the end of its {}{}{}", contract::command_name(current_->kind, current_->engine),
                       line.empty() ? "" : " at ", line);
  }
  waits.push_back({fmt::format("{}: kernel {}{}", node_id(), kernel, call), what, state_since_, info_.coord, {}, line});
  waits.back().failure_code = result_.error_code;
  if (!result_.error_code.empty()) {
    waits.back().failure = fmt::format("launch {} failed: {}", running.request, result_.error_message);
  }
  for (std::size_t i = 1; i < launches_.size(); ++i) {
    const payload::KernelLaunchMsg& next = message(launches_[i]);
    waits.push_back({fmt::format("{}: launch #{} of kernel {}", node_id(), next.request, next.launch->name()),
                     "the end of kernel " + kernel, launches_[i].ready});
    waits.back().launch = next.request;
  }
}

void PeCpu::collect_statistics(std::vector<elab::Statistic>& statistics) const {
  FabricEndpoint::collect_statistics(statistics);
  if (kernels_ == 0) return;
  statistics.push_back({"kernels", kernels_, "1"});
  statistics.push_back({"failures", failures_, "1"});
  statistics.push_back({"commands", static_cast<std::int64_t>(commands_.issued()), "1"});
  statistics.push_back({"kernel_time", kernel_time_});
  statistics.push_back({"scalar_time", scalar_time_});
  statistics.push_back({"late_max", late_max_});
}

}  // namespace kb::modules
