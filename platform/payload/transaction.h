// The fabric's transaction: a pooled tlm_generic_payload with this extension, for one request and its response.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <tlm>
#include <vector>

#include "platform/account/place.h"
#include "platform/base/units.h"
#include "platform/payload/messages.h"
#include "platform/payload/route.h"

namespace kb::payload {

enum class Op : std::uint8_t {
  read,     // zero-byte command, data on the response leg (F-77)
  write,    // data on the request leg, zero-byte acknowledgement
  message,  // zero bytes both ways: launch, map/unmap and their completions
};

enum class Leg : std::uint8_t { request, response };

// Result of a transaction. Its cause is forwarded to the host (H-41).
struct Status {
  bool ok = true;
  std::string code;  // empty when ok, e.g. "ADDRESS_ERROR"
  std::string message;
  std::uint64_t fault_address = 0;  // encoded address of a PAGE_FAULT; otherwise 0
};

// Flits of one leg with evenly spaced arrival times at the receiver of a hop.
struct Segment {
  TimeFs time = 0_fs;       // arrival of flit `first`
  TimeFs spacing = 0_fs;    // between consecutive arrivals
  std::uint32_t first = 0;  // index of the first flit in its leg
  std::uint32_t count = 0;
  std::uint64_t sequence = 0;       // order of flit `first` on the edge
  std::uint64_t sequence_step = 0;  // between consecutive flits; a multiple of kSequenceStep
  Leg leg = Leg::request;
  std::uint16_t hop = 0;  // index of the receiving node in the route
};

// Distance between consecutive flits of an edge; zero-byte messages take numbers in between.
inline constexpr std::uint64_t kSequenceStep = std::uint64_t{1} << 20;

class Transaction;

// Receiver of the response to a transaction that was issued for an initiator outside the issuing node.
class IInitiator {
 public:
  // `delivered`, `completed` and `status` are set; the initiator releases the transaction.
  virtual void on_response(Transaction& transaction) = 0;
  // Origin for error messages: " (row 'a', line 3)", or empty.
  virtual std::string origin(const Transaction&) const { return {}; }

 protected:
  ~IInitiator() = default;
};

// Members that every hop reads come first, so that they share two cache lines of a PooledPayload.
class Transaction final : public tlm::tlm_extension<Transaction> {
 public:
  const FabricRoute* route = nullptr;        // set by the initiator, outlives the transaction
  const FabricRoute::Ports* hops = nullptr;  // the route's ports, to avoid an indirection

 private:
  friend class PooledPayload;
  friend class TransactionPool;
  tlm::tlm_generic_payload* payload_ = nullptr;

 public:
  Op op = Op::message;
  std::uint32_t flits = 0;            // ceil(bytes / flit_bytes)
  std::uint32_t last_flit_bytes = 0;  // bytes of the final flit
  account::PlaceId place;             // whose time its transfers are; set by the initiator, nobody's by default

  Segment segment;  // argument of BEGIN_*, SEGMENT and SHORTEN; the receiver copies it during the call

  std::uint64_t id = 0;          // number from a counter
  std::uint64_t address = 0;     // physical address (51 bits) of byte 0 (read, write)
  std::uint64_t hbm_offset = 0;  // offset of byte 0 in the cube's HBM; selects the pseudo-channel
  std::uint64_t bytes = 0;       // payload bytes; 0 for messages

  // Absolute times. delivered: last burst committed (write) or last flit at the initiator's node (read);
  // completed: response at the initiator after its overhead. Written by the terminal and the initiator.
  TimeFs issued = 0_fs;
  TimeFs delivered = 0_fs;
  TimeFs completed = 0_fs;

  Status status;
  std::shared_ptr<const Message> message;  // request content of Op::message
  std::shared_ptr<const Message> reply;    // response content of Op::message
  std::uint64_t cookie = 0;                // private to the initiator

  IInitiator* initiator = nullptr;   // null: the issuing node itself
  TimeFs terminal_time = 0_fs;       // progress of the serving block (HBM: last burst so far)
  std::uint32_t initiator_slot = 0;  // position in the issuing node's list of open transactions
  std::uint32_t rollback_slot = 0;   // position in the list of a node that rolls flits back

  tlm::tlm_generic_payload& payload() { return *payload_; }
  // The transaction of a fabric payload, which always comes from a TransactionPool (no extension lookup).
  static Transaction& of(tlm::tlm_generic_payload& payload);
  // Prefetches the data of a hop into the cache.
  void prefetch() const {
    __builtin_prefetch(&hops, 1);
    __builtin_prefetch(&segment.hop, 1);
  }
  // Number of flits on a leg; 0 = the leg is a zero-byte message.
  std::uint32_t leg_flits(Leg leg) const {
    return (op == Op::write && leg == Leg::request) || (op == Op::read && leg == Leg::response) ? flits : 0;
  }

  tlm::tlm_extension_base* clone() const override;
  void copy_from(const tlm::tlm_extension_base& other) override;
};

// A payload and its extension in one cache-aligned piece of memory.
class alignas(64) PooledPayload final : public tlm::tlm_generic_payload {
 public:
  explicit PooledPayload(tlm::tlm_mm_interface& pool);
  ~PooledPayload() override;

  Transaction transaction;
};

inline Transaction& Transaction::of(tlm::tlm_generic_payload& payload) {
  return static_cast<PooledPayload&>(payload).transaction;
}

// Owns all generic payloads of a simulation. Not thread-safe: one simulation, one pool.
class TransactionPool final : public tlm::tlm_mm_interface {
 public:
  explicit TransactionPool(std::uint64_t flit_bytes);
  TransactionPool(const TransactionPool&) = delete;
  TransactionPool& operator=(const TransactionPool&) = delete;

  // Returns a new transaction with one reference held by the caller, who calls release() after handling the response.
  Transaction& acquire(Op op, const FabricRoute& route, std::uint64_t address, std::uint64_t bytes);
  void release(Transaction& transaction);

  std::uint64_t flit_bytes() const { return flit_bytes_; }
  std::uint64_t issued() const { return next_id_; }
  std::uint64_t outstanding() const { return outstanding_; }

  void free(tlm::tlm_generic_payload* payload) override;

 private:
  std::uint64_t flit_bytes_;
  std::uint64_t next_id_ = 0;
  std::uint64_t outstanding_ = 0;
  std::vector<Transaction*> free_;
  std::deque<PooledPayload> all_;
};

}  // namespace kb::payload
