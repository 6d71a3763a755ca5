#include "sw/parallel/model_parallel.h"

#include <fmt/format.h>

#include "platform/base/error.h"

namespace kb::sw {

ModelParallel::ModelParallel(Runtime& runtime, Communicator& group, int size) : runtime_(runtime), group_(group) {
  if (size == 0 || size == group.size()) return;
  throw Error::program("COLLECTIVE_ERROR",
                       fmt::format("a model on {} ranks, but its process group has {}; make both equal, or leave the "
                                   "size out",
                                   size, group.size()));
}

int ModelParallel::rank() {
  return runtime_.rank_waiter() == nullptr ? 0 : group_.rank();
}

std::int64_t ModelParallel::share(std::int64_t total, const std::string& what) const {
  if (total >= 1 && total % size() == 0) return total / size();
  throw Error::program("SHAPE_ERROR",
                       fmt::format("{} = {} cannot be split evenly over the {} ranks of the model; use a "
                                   "multiple of {}",
                                   what, total, size(), size()));
}

std::int64_t ModelParallel::padded_share(std::int64_t total) const {
  const std::int64_t share = total / size() + (total % size() == 0 ? 0 : 1);
  const std::int64_t pes = std::int64_t{runtime_.machine().cubes_per_sip} * runtime_.machine().pes_per_cube;
  if (total % size() == 0 || share < pes) return share;
  return (share + pes - 1) / pes * pes;
}

void ModelParallel::require_device(const std::string& what) {
  const int own = group_.ranks()[static_cast<std::size_t>(rank())];  // rank in the spawn, which equals the SIP
  const int bound = runtime_.current_device();
  if (own == bound) return;
  throw Error::program("DEVICE_ERROR", fmt::format("{}: rank {} owns SIP {}, but its tensors would go to SIP {}; call "
                                                   "set_device({}) at the beginning of the rank",
                                                   what, own, own, bound, own));
}

void ModelParallel::require_tensor(const std::string& what, const Tensor& tensor, Dtype dtype) {
  if (!tensor.deployed()) {
    throw Error::program("TENSOR_ERROR", what + " needs a tensor on the device; make it with empty() or zeros()");
  }
  require_device(what);
  const auto sip = static_cast<int>(tensor.placement().front().owner.sip.value);
  if (sip != runtime_.current_device()) {
    throw Error::program("LAYOUT_ERROR", fmt::format("{}: tensor '{}' lies on SIP {}, the rank works on SIP {}", what,
                                                     tensor.name(), sip, runtime_.current_device()));
  }
  if (tensor.shape().size() != 2) {
    throw Error::program("SHAPE_ERROR", fmt::format("{}: tensor '{}' {} must have two dimensions", what, tensor.name(),
                                                    format_shape(tensor.shape())));
  }
  if (tensor.dtype() != dtype) {
    throw Error::program("DTYPE_ERROR", fmt::format("{} works in {}, tensor '{}' holds {}", what, dtype_name(dtype),
                                                    tensor.name(), dtype_name(tensor.dtype())));
  }
}

void ModelParallel::run(const std::string& name, StepKind kind, const std::string& kernel, const Args& args,
                        const LaunchOptions& options) {
  LaunchOptions launch = options;
  launch.label = name;
  record(name, kind, runtime_.wait(runtime_.launch(kernel, args, launch)));
}

void ModelParallel::all_reduce(const std::string& name, const Tensor& tensor) {
  if (size() > 1) record(name, StepKind::exchange, group_.all_reduce_ranks(tensor));
}

void ModelParallel::all_gather(const std::string& name, const Tensor& out, const Tensor& in) {
  record(name, StepKind::exchange, group_.all_gather(out, in));
}

std::vector<ParallelStep> ModelParallel::steps(int rank) const {
  const auto found = steps_.find(rank);
  return found == steps_.end() ? std::vector<ParallelStep>{} : found->second;
}

void ModelParallel::record(const std::string& name, StepKind kind, const LaunchMetrics& metrics) {
  steps_[rank()].push_back({name, kind, metrics});
}

}  // namespace kb::sw
