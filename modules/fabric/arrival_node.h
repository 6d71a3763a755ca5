// Base class of fabric blocks that handle flits only after they have arrived: the simple way to write a router or a
// memory controller.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "modules/fabric/fabric_node.h"
#include "modules/fabric/sorted_queue.h"

namespace kb::modules {

// A block gets flits and zero-byte messages one by one when they have arrived, in arrival order, and offers them to a
// wire at any later time. This class hides speculative segments, SHORTEN and END, and all times are exact: a router
// that behaves like ForwardingNode has the times of ForwardingNode. It costs an event per arrival and one per
// departure, so that such a block simulates slower than a built-in one (docs/guides/blocks.md has figures).
class ArrivalNode : public FabricNode, private elab::EventHandler {
 public:
  ArrivalNode(const sc_core::sc_module_name& name, NodeId node, elab::BlockContext& context)
      : FabricNode(name, node, context) {}

  // Lists arrivals that have not been forwarded.
  void collect_waits(std::vector<elab::WaitInfo>& waits) const override;

 protected:
  // A flit or a zero-byte message.
  class Arrival {
   public:
    payload::Transaction& transaction() const { return *stream_.transaction; }
    payload::Leg leg() const { return stream_.leg; }
    bool is_message() const { return message_; }
    std::uint32_t index() const { return stream_.first; }  // index in its leg
    bool is_first() const { return stream_.first == 0; }
    bool is_last() const { return message_ || stream_.has_last_flit(); }
    std::uint64_t bytes() const {  // of this flit; 0 for a message
      const payload::Transaction& whole = transaction();
      if (message_) return 0;
      return is_last() ? whole.last_flit_bytes : (whole.bytes - whole.last_flit_bytes) / (whole.flits - 1);
    }
    TimeFs time() const { return stream_.time; }
    std::uint16_t in_port() const { return stream_.in_port; }
    std::uint16_t out_port() const { return stream_.out_port; }  // payload::kNoPort: its leg ends here

   private:
    friend class ArrivalNode;
    FlitStream stream_;
    bool message_ = false;
  };

  // Called when the flit or message arrives: arrival.time() = now.
  virtual void on_arrival(const Arrival& arrival) = 0;
  // Called at a time requested by wake_at(), after the arrivals of that time.
  virtual void on_wake() {}
  // Called when an offer has been put on its wire; wire_free() includes it.
  virtual void on_departure(const Arrival&) {}

  // Offers an arrival to its out-edge at absolute time `at` >= now; it leaves as soon as the wire is free. Offers with
  // equal times leave in arrival order.
  void depart(const Arrival& arrival, TimeFs at);
  // Part `index` of the response to a request that ends here: a data flit of a read, or the answer to any other
  // request. Responses with equal times leave in the order of these calls.
  Arrival response(payload::Transaction& transaction, std::uint32_t index = 0);

  void wake_at(TimeFs at);
  // When a wire can take the next flit.
  TimeFs wire_free(std::uint16_t out_port) { return wire_at(out_port).available(); }

 private:
  struct Departure {
    Arrival what;
    TimeFs at;

    struct ByTime {
      std::pair<TimeFs, ArrivalKey> operator()(const Departure& departure) const {
        return {departure.at, departure.what.stream_.key()};
      }
    };
  };

  void on_flits(FlitStream& flits) final;
  void on_message(payload::Transaction& transaction, const FlitStream& message) final;
  void on_rollback(std::uint16_t port, payload::Transaction& transaction, payload::Leg leg, std::uint32_t first) final;
  void roll_back(const FlitStream& flits) final;
  void on_event(TimeFs now, std::uint64_t argument) final;
  void take_arrivals(TimeFs now);
  void send_departures(TimeFs now);
  void schedule_next();
  void fail(const payload::Transaction& transaction, const std::string& what, const std::string& remedy) const;

  SortedQueue<FlitStream, StreamKey> coming_;  // the first flit of each stream arrives next
  SortedQueue<Departure, Departure::ByTime> departures_;
  std::vector<TimeFs> asked_;  // times requested by wake_at(), unsorted
  std::uint64_t responses_ = 0;
  std::uint64_t departed_ = 0;
  TimeFs scheduled_ = kNever;
};

}  // namespace kb::modules
