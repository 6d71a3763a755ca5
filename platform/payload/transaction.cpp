#include "platform/payload/transaction.h"

namespace kb::payload {

tlm::tlm_extension_base* Transaction::clone() const {
  auto* copy = new Transaction;
  copy->copy_from(*this);
  return copy;
}

void Transaction::copy_from(const tlm::tlm_extension_base& other) {
  const auto& o = static_cast<const Transaction&>(other);
  tlm::tlm_generic_payload* const own_payload = payload_;
  *this = o;
  payload_ = own_payload;
}

PooledPayload::PooledPayload(tlm::tlm_mm_interface& pool) : tlm::tlm_generic_payload(&pool) {
  transaction.payload_ = this;
  set_extension(&transaction);
}

PooledPayload::~PooledPayload() {
  clear_extension(&transaction);  // it is a member that the payload must not delete
}

TransactionPool::TransactionPool(std::uint64_t flit_bytes) : flit_bytes_(flit_bytes) {}

Transaction& TransactionPool::acquire(Op op, const FabricRoute& route, std::uint64_t address, std::uint64_t bytes) {
  Transaction* t = nullptr;
  if (free_.empty()) {
    t = &all_.emplace_back(*this).transaction;
  } else {
    t = free_.back();
    free_.pop_back();
  }
  t->id = next_id_++;
  t->op = op;
  t->route = &route;
  t->hops = route.ports.data();
  t->address = address;
  t->hbm_offset = 0;
  t->bytes = bytes;
  t->flits = static_cast<std::uint32_t>((bytes + flit_bytes_ - 1) / flit_bytes_);
  t->last_flit_bytes = bytes == 0 ? 0 : static_cast<std::uint32_t>(bytes - (t->flits - 1) * flit_bytes_);
  t->place = {};
  t->issued = t->delivered = t->completed = 0_fs;
  if (!t->status.ok) t->status = Status{};
  t->cookie = 0;
  t->initiator = nullptr;
  tlm::tlm_generic_payload& gp = *t->payload_;
  gp.set_command(op == Op::read    ? tlm::TLM_READ_COMMAND
                 : op == Op::write ? tlm::TLM_WRITE_COMMAND
                                   : tlm::TLM_IGNORE_COMMAND);
  gp.set_address(address);
  gp.set_data_length(static_cast<unsigned>(bytes));
  gp.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
  gp.acquire();
  ++outstanding_;
  return *t;
}

void TransactionPool::release(Transaction& transaction) {
  transaction.payload_->release();
}

void TransactionPool::free(tlm::tlm_generic_payload* payload) {
  Transaction* const t = &Transaction::of(*payload);
  t->message.reset();
  t->reply.reset();
  --outstanding_;
  free_.push_back(t);
}

}  // namespace kb::payload
