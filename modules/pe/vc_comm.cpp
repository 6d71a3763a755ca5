#include "modules/pe/vc_comm.h"

#include <utility>

#include "modules/pe/pe_dma.h"
#include "platform/base/error.h"
#include "platform/base/names.h"

namespace kb::modules {

using payload::QueueCreditMsg;
using payload::QueueTokenMsg;
using payload::Transaction;

namespace {
constexpr std::uint16_t kLane = 1;  // 0: write data of the other channels
}

void VcComm::activate(NodeId peer) {
  dma_.use_lanes(dma_.route_to(peer).ports.front().forward);
}

NodeId VcComm::dma_node() const {
  return dma_.node();
}

IMessageReceiver& VcComm::receiver() const {
  if (pe_.receiver == nullptr) throw Error::model(dma_.node_id() + " got a message, but its PE has no PE_IPCQ");
  return *pe_.receiver;
}

void VcComm::send(QueueTokenMsg token, NodeId peer) {
  ++sent_;
  bytes_sent_ += static_cast<std::int64_t>(token.nbytes);
  Posted posted{nullptr, token.slot_pa, token.nbytes, token.place};
  posted.message = payload::share(std::move(token));
  issue(std::move(posted), peer);
}

void VcComm::send(const QueueCreditMsg& credit, std::uint64_t nbytes, NodeId peer, account::PlaceId place) {
  ++credits_;
  issue({payload::share(credit), credit.ring_pa, nbytes, place}, peer);
}

void VcComm::issue(Posted posted, NodeId peer) {
  Transaction& transaction =
      context_.pool.acquire(payload::Op::write, dma_.route_to(peer), posted.address, posted.nbytes);
  transaction.message = std::move(posted.message);
  transaction.place = posted.place;
  transaction.initiator = this;
  ++in_flight_;
  dma_.issue(transaction, context_.scheduler.now() + dma_.overhead(), FabricEndpoint::FirstWire::fifo, kLane);
}

// A message is a posted write: its receiver calls this function on arrival, and no response travels back.
void VcComm::on_response(Transaction& transaction) {
  --in_flight_;
  dma_.retire(transaction);
  context_.pool.release(transaction);
}

std::string VcComm::origin(const Transaction& transaction) const {
  const auto* const token = std::get_if<QueueTokenMsg>(transaction.message.get());
  if (token == nullptr) return " (credit)";
  return " (message " + std::to_string(token->sequence) + " of " + pe_name(token->sender) + ")";
}

void VcComm::conclude(Transaction& transaction) {
  transaction.delivered = transaction.completed = context_.scheduler.now();
  transaction.initiator->on_response(transaction);
}

void VcComm::written(std::uint64_t inbound) {
  on_event(context_.scheduler.now(), inbound);
}

bool VcComm::accept(Transaction& transaction) {
  const auto* const token = std::get_if<QueueTokenMsg>(transaction.message.get());
  if (token == nullptr) return accept_credit(transaction);
  std::uint64_t slot = inbound_.size();
  if (free_inbound_.empty()) {
    inbound_.emplace_back();
  } else {
    slot = free_inbound_.back();
    free_inbound_.pop_back();
  }
  inbound_[slot] = &transaction;
  const std::optional<TimeFs> at = receiver().visible_at(*token, slot);
  if (!at) return true;
  if (*at == context_.scheduler.now()) {
    written(slot);
  } else {
    context_.scheduler.schedule(*at, *this, slot);
  }
  return true;
}

bool VcComm::accept_credit(Transaction& transaction) {
  const auto* const credit = std::get_if<QueueCreditMsg>(transaction.message.get());
  if (credit == nullptr) return false;
  receiver().on_credit(credit->ring_pa, credit->consumed);
  credit->emitter->on_credit_delivered(credit->ring_pa);
  conclude(transaction);
  return true;
}

void VcComm::on_event(TimeFs, std::uint64_t slot) {
  Transaction& transaction = *inbound_[slot];
  free_inbound_.push_back(slot);
  ++received_;
  const auto token = payload::shared_content<QueueTokenMsg>(transaction.message);
  conclude(transaction);
  receiver().on_arrival(token, dma_.node());
}

void VcComm::collect_statistics(std::vector<elab::Statistic>& statistics) const {
  if (sent_ + received_ + credits_ == 0) return;
  statistics.push_back({"messages_sent", sent_, "1"});
  statistics.push_back({"message_bytes_sent", bytes_sent_, "B"});
  statistics.push_back({"messages_received", received_, "1"});
  if (credits_ > 0) statistics.push_back({"credits_sent", credits_, "1"});
}

}  // namespace kb::modules
