// Places of a running kernel: the lines, ranges and tensors to which PE_CPU charges its time.
#include <memory>
#include <variant>

#include "modules/pe/pe_cpu.h"
#include "platform/contract/kernel_launch.h"
#include "platform/contract/source_line.h"
#include "platform/contract/tensor_layout.h"
#include "platform/payload/messages.h"
#include "platform/record/activity_recorder.h"

namespace kb::modules {

account::PlaceId PeCpu::place(const contract::SourceLine& line, const char* call, account::RangeId range,
                              const contract::TensorLayout* tensor) {
  if (recorder() == nullptr) return {};
  account::PlaceTable& places = recorder()->places();
  account::Place place;
  place.launch = pe().launch;
  place.file = places.name(line.file());
  place.line = static_cast<std::uint32_t>(line.line());
  place.call = places.name(call);
  place.range = range == account::RangeId{} ? host_range_ : range;
  if (tensor != nullptr) place.tensor = places.name(name_of(*tensor));
  return places.intern(place);
}

account::RangeId PeCpu::range(account::RangeId outer, std::string_view name) {
  if (recorder() == nullptr) return outer;
  return recorder()->places().range(outer == account::RangeId{} ? host_range_ : outer, name);
}

const std::string& PeCpu::name_of(const contract::TensorLayout& tensor) const {
  if (tensor.named) return tensor.name;
  const std::vector<contract::KernelArg>& args = message(launches_.front()).launch->args;
  for (std::size_t i = 0; i < args.size() && i < parameters_->size(); ++i) {
    const auto* const layout = std::get_if<std::shared_ptr<const contract::TensorLayout>>(&args[i]);
    if (layout != nullptr && layout->get() == &tensor) return (*parameters_)[i].name;
  }
  return tensor.name;
}

bool PeCpu::waits_not(account::PlaceId place) {
  return recorder() != nullptr && reliefs_.waits_not(recorder()->places(), place);
}

// The commands of a place that remain are evenly spread.
bool PeCpu::is_supposed_away(account::PlaceId place) {
  if (work_share_ == 1) return false;
  double& due = work_due_[place.value];
  due += work_share_;
  if (due < 1) return true;
  due -= 1;
  return false;
}

void PeCpu::charge(account::PlaceId line, account::PlaceId held_by) {
  if (recorder() != nullptr) line_clock_.charge(line, held_by, now());
}

}  // namespace kb::modules
