#include "sw/runtime/request_tracker.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>

#include "platform/base/error.h"
#include "platform/base/names.h"
#include "platform/contract/completion.h"
#include "platform/contract/i_host.h"
#include "platform/contract/kernel_arguments.h"
#include "platform/contract/kernel_launch.h"
#include "platform/contract/tensor_layout.h"
#include "sw/tensor/placement.h"

namespace kb::sw {

bool touches(const Outstanding& request, std::uint64_t tensor_id) {
  if (request.tensor) return request.tensor->id == tensor_id;
  if (!request.launch) return false;
  return std::any_of(request.launch->args.begin(), request.launch->args.end(), [&](const contract::KernelArg& arg) {
    const auto* layout = std::get_if<std::shared_ptr<const contract::TensorLayout>>(&arg);
    return layout != nullptr && (*layout)->id == tensor_id;
  });
}

void RequestTracker::add(Outstanding request) {
  ++submitted_;
  outstanding_.push_back(std::move(request));
}

void RequestTracker::block(const std::vector<contract::RequestId>& requests, const std::string& reason) {
  std::vector<contract::RequestId> open;
  std::copy_if(requests.begin(), requests.end(), std::back_inserter(open),
               [&](contract::RequestId id) { return !host_.done(id); });
  if (open.empty()) return;
  if (rank_waiter_ != nullptr && host_.current_worker() >= 0) {
    rank_waiter_->wait_until_done(open, reason);
    return;
  }
  struct Countdown {
    std::size_t left = 0;
    std::unique_ptr<contract::ISignal> signal;
  };
  const auto countdown = std::make_shared<Countdown>(Countdown{open.size(), host_.make_signal()});
  for (const contract::RequestId id : open) {
    host_.on_done(id, [countdown] {
      if (--countdown->left == 0) countdown->signal->notify_all();
    });
  }
  while (countdown->left > 0) countdown->signal->wait(reason);
}

std::vector<Outstanding> RequestTracker::wait_for(const Filter& filter, const std::string& reason) {
  std::vector<Outstanding> found;
  std::copy_if(outstanding_.begin(), outstanding_.end(), std::back_inserter(found), filter);
  std::vector<contract::RequestId> ids;
  for (const Outstanding& entry : found) ids.push_back(entry.request);
  block(ids, reason);
  return found;
}

std::vector<Outstanding> RequestTracker::take(const Filter& filter, const std::string& reason) {
  std::vector<Outstanding> taken = wait_for(filter, reason);
  std::set<contract::RequestId> ids;
  for (const Outstanding& entry : taken) ids.insert(entry.request);
  outstanding_.erase(std::remove_if(outstanding_.begin(), outstanding_.end(),
                                    [&](const Outstanding& entry) { return ids.count(entry.request) != 0; }),
                     outstanding_.end());
  return taken;
}

bool RequestTracker::uses(std::uint64_t tensor_id) const {
  return !users(tensor_id).empty();
}

std::vector<contract::RequestId> RequestTracker::users(std::uint64_t tensor_id) const {
  std::vector<contract::RequestId> ids;
  for (const Outstanding& entry : outstanding_) {
    if (entry.kind == RequestKind::map || entry.kind == RequestKind::unmap) continue;
    if (touches(entry, tensor_id) && !host_.done(entry.request)) ids.push_back(entry.request);
  }
  return ids;
}

void RequestTracker::throw_if_failed(const Outstanding& request) const {
  const contract::Completion& completion = host_.completion(request.request);
  if (completion.ok) return;
  std::string what;
  if (request.launch) {
    what = fmt::format("launch #{} of kernel '{}' on sip{}", request.request, request.launch->name(),
                       request.launch->sip.value);
  } else if (request.kind == RequestKind::map || request.kind == RequestKind::unmap) {
    what = fmt::format("{} of tensor '{}' {} {}", request.kind == RequestKind::map ? "mapping" : "unmapping",
                       request.tensor->name, dtype_name(request.tensor->dtype), format_shape(request.tensor->shape));
  } else {
    what = fmt::format("host {} of tensor '{}' at {}", request.kind == RequestKind::write ? "write" : "read",
                       request.tensor->name, pe_name(request.tensor->shards[request.shard].owner));
  }
  throw Error::program(completion.error_code, fmt::format("{}: {}", what, completion.error_message));
}

}  // namespace kb::sw
