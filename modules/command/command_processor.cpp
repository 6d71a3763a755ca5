#include "modules/command/command_processor.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "platform/base/error.h"
#include "platform/contract/failure_policy.h"
#include "platform/elab/route_table.h"

namespace kb::modules {
namespace {

// A sub-request's cookie: parent transaction id and branch index.
constexpr int kBranchBits = 16;
constexpr std::uint64_t kBranchMask = (std::uint64_t{1} << kBranchBits) - 1;

}  // namespace

CommandProcessor::CommandProcessor(const sc_core::sc_module_name& name, NodeId node, TimeFs overhead,
                                   elab::BlockContext& context, std::string below)
    : FabricEndpoint(name, node, overhead, context),
      below_(std::move(below)),
      barriers_(node_id(), below_, [this](payload::Transaction& arrival) { respond(arrival, now()); }) {}

void CommandProcessor::on_request(payload::Transaction& transaction, TimeFs arrived) {
  try {
    if (transaction.op != payload::Op::message) {
      memory(transaction, arrived);
    } else if (transaction.message == nullptr) {
      FabricEndpoint::on_request(transaction, arrived);
    } else {
      serve_message(transaction, arrived);
    }
  } catch (const Error& error) {
    if (error.family() == ErrorFamily::model) throw;
    refuse(transaction, error.code(), error.what());
  }
}

void CommandProcessor::serve_message(payload::Transaction& transaction, TimeFs arrived) {
  const auto map = [&](const payload::TranslationMsg& request) { this->map(transaction, request); };
  const auto refuse = [&] { FabricEndpoint::on_request(transaction, arrived); };
  std::visit(payload::Visitor{[&](const payload::KernelLaunchMsg& request) { launch(transaction, request); },
                              [&](const payload::MmuMapMsg& request) { map(request); },
                              [&](const payload::BaawSegmentInstallMsg& request) { map(request); },
                              [&](const payload::BaawSegmentRemoveMsg& request) { map(request); },
                              [&](const payload::BarrierMsg& arrival) { barrier(transaction, arrival); },
                              [&](const payload::QueueTokenMsg&) { refuse(); },
                              [&](const payload::QueueCreditMsg&) { refuse(); },
                              [&](const payload::LaunchReply&) { refuse(); }},
             *transaction.message);
}

void CommandProcessor::memory(payload::Transaction& parent, TimeFs arrived) {
  FabricEndpoint::on_request(parent, arrived);
}

const payload::FabricRoute* CommandProcessor::command_route(NodeId target) {
  return &context().routes.command(node(), target);
}

void CommandProcessor::fan_out(payload::Transaction& parent, const std::string& title, contract::FailurePolicy policy,
                               std::vector<SubRequest> requests, const std::string& noun) {
  if (requests.empty() || requests.size() > kBranchMask + 1) {
    throw Error::model(node_id() + ": " + title + " has " + std::to_string(requests.size()) + " targets");
  }
  std::vector<Branch> branches;
  branches.reserve(requests.size());
  for (SubRequest& request : requests) branches.push_back(std::move(request.branch));
  const auto* const message = std::get_if<payload::KernelLaunchMsg>(parent.message.get());
  std::optional<Launch> launch;
  if (message != nullptr) launch = {message->request, parent.route->nodes.front(), parent.place};
  const std::string& receivers = noun.empty() ? below_ : noun;
  log(contract::LogLevel::info, [&] {
    return fmt::format("forwards transaction {}, {} ({}: {})", parent.id, title, receivers, requests.size());
  });
  pending_.emplace(parent.id, Pending{&parent, title, launch, FanOut(policy, receivers, std::move(branches), now())});
  ++requests_;
  sub_requests_ += static_cast<std::int64_t>(requests.size());
  for (std::size_t i = 0; i < requests.size(); ++i) {
    SubRequest& request = requests[i];
    payload::Transaction& sub = context().pool.acquire(request.message ? payload::Op::message : parent.op,
                                                       *request.route, request.address, request.bytes);
    sub.message = std::move(request.message);
    sub.hbm_offset = request.hbm_offset;
    sub.place = parent.place;
    sub.cookie = (parent.id << kBranchBits) | i;
    issue(sub, now());
  }
}

void CommandProcessor::refuse(payload::Transaction& parent, std::string code, const std::string& message) {
  ++requests_;
  ++failures_;
  parent.status = {false, std::move(code), node_id() + ": " + message};
  respond(parent, now());
}

bool CommandProcessor::all_there(payload::Transaction& arrival, const payload::BarrierMsg& message, std::size_t members,
                                 std::string name) {
  return barriers_.arrive(&arrival, message, members, std::move(name), now());
}

void CommandProcessor::open_barrier(const payload::BarrierMsg& message,
                                    const std::shared_ptr<const payload::Message>& reply) {
  log(contract::LogLevel::info,
      [&] { return fmt::format("opens the barrier of launch #{}: all {} are there", message.request, below_); });
  barriers_.open(message.request, reply);
}

void CommandProcessor::send_on(const payload::BarrierMsg& arrival) {
  log(contract::LogLevel::info,
      [&] { return fmt::format("sends on the barrier of launch #{}: all {} are there", arrival.request, below_); });
  const auto launch = std::find_if(pending_.begin(), pending_.end(), [&](const auto& pending) {
    return pending.second.launch && pending.second.launch->request == arrival.request;
  });
  if (launch == pending_.end()) throw Error::model(node_id() + ": a barrier of no launch under way");
  const auto send_to = [&](NodeId target) {
    payload::Transaction& sent_on = context().pool.acquire(payload::Op::message, *command_route(target), 0, 0);
    sent_on.message = payload::share(arrival);
    sent_on.place = launch->second.launch->place;
    issue(sent_on, now());
  };
  if (!arrival.exchange) return send_to(launch->second.launch->sender);
  for (const CubeId cube : *arrival.exchange) {
    if (cube != arrival.from.cube) send_to(context().routes.resolver().find_m_cpu(node_record().sip, cube));
  }
}

void CommandProcessor::on_response(payload::Transaction& transaction) {
  if (const auto* arrival = std::get_if<payload::BarrierMsg>(transaction.message.get())) {
    if (!arrival->exchange) barriers_.answer(arrival->request, transaction.status);
    context().pool.release(transaction);
    return;
  }
  const auto entry = pending_.find(transaction.cookie >> kBranchBits);
  if (entry == pending_.end()) throw Error::model(node_id() + ": an answer came for a request that is not pending");
  Pending& pending = entry->second;
  const auto* reply = std::get_if<payload::LaunchReply>(transaction.reply.get());
  const std::size_t branch = static_cast<std::size_t>(transaction.cookie & kBranchMask);
  const bool only_met = reply != nullptr && reply->pes.empty();  // PEs of a start barrier that run nothing
  const bool settled = pending.branches.answer(branch, transaction.status, reply);
  if (pending.parent != nullptr && pending.parent->op == payload::Op::write) {
    pending.parent->delivered = std::max(pending.parent->delivered, transaction.delivered);
  }
  context().pool.release(transaction);
  if (settled) answer_parent(pending);
  const bool drained = pending.branches.drained();
  if (pending.launch && (drained || !only_met)) {
    barriers_.ended(pending.launch->request, pending.branches.branch(branch).place, drained);
  }
  if (drained) pending_.erase(entry);
}

void CommandProcessor::answer_parent(Pending& pending) {
  payload::Transaction& parent = *std::exchange(pending.parent, nullptr);
  parent.status = pending.branches.status();
  if (!parent.status.ok) ++failures_;
  if (pending.launch) {
    parent.reply = payload::share(payload::LaunchReply{pending.branches.results()});
  }
  respond(parent, now());
}

void CommandProcessor::collect_waits(std::vector<elab::WaitInfo>& waits) const {
  for (const auto& [id, pending] : pending_) {
    const char* state = pending.branches.settled() ? " (already answered with an error)" : "";
    waits.push_back({node_id() + ": " + pending.title + state, "waiting for " + pending.branches.missing(),
                     pending.branches.since()});
    if (pending.launch) waits.back().launch = pending.launch->request;
  }
  barriers_.collect_waits(waits);
}

void CommandProcessor::collect_statistics(std::vector<elab::Statistic>& statistics) const {
  FabricEndpoint::collect_statistics(statistics);
  if (requests_ == 0) return;
  statistics.push_back({"requests", requests_, "1"});
  statistics.push_back({"sub_requests", sub_requests_, "1"});
  statistics.push_back({"failures", failures_, "1"});
  if (barriers_.opened() > 0) statistics.push_back({"barriers", barriers_.opened(), "1"});
}

}  // namespace kb::modules
