// The relations of section 6 of chapter 09 and of E-47, and the table.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "sim/evaluate/checker.h"
#include "sim/evaluate/csv.h"
#include "sim/evaluate/pe2pe/pe2pe_evaluation.h"
#include "sim/evaluate/slot_costs.h"

namespace kb::evaluate {
namespace {

constexpr double kRounding = 1e-5;  // ns: a femtosecond per term

class Runs {
 public:
  explicit Runs(const Json& data) {
    for (const Json& run : data.at("runs")) {
      const auto word = [&](const char* name) { return run.at(name).get<std::string>(); };
      latencies_[{word("set"), word("hop"), word("method"), word("buffer_kind")}][run.at("bytes").get<std::int64_t>()] =
          run.at("latency_ns").get<double>();
    }
  }
  // Latencies by size; empty when there are none.
  const std::map<std::int64_t, double>& of(const std::string& set, const std::string& hop, const std::string& method,
                                           const std::string& kind) const {
    static const std::map<std::int64_t, double> none;
    const auto found = latencies_.find({set, hop, method, kind});
    return found == latencies_.end() ? none : found->second;
  }

 private:
  std::map<std::array<std::string, 4>, std::map<std::int64_t, double>> latencies_;
};

// Both methods move the same bytes the same way. A message then pays a slot write and a credit, a store the last burst
// in the HBM and a response: where a slot write is not the shorter one, a message is not the faster one.
void check_methods(Checker& checker, const Json& data, const std::string& hop, const Runs& runs) {
  const double burst = data.at("hbm_burst_ns");
  const std::vector<SlotCost> costs = slot_costs(data.at("slots"));
  const auto& store = runs.of("hops", hop, "dma", "tcm");
  for (const auto& [bytes, latency] : runs.of("hops", hop, "ipcq", "tcm")) {
    const auto raw = store.find(bytes);
    if (raw == store.end()) continue;
    const double shorter = std::max(0.0, burst - slot_cost(costs, "tcm").ns(static_cast<double>(bytes)));
    checker.expect(latency + shorter >= raw->second, "E-66",
                   "{}: a message of {} B takes {} ns, a store {} ns; only {} ns of that can be the HBM's burst", hop,
                   bytes, latency, raw->second, shorter);
  }
}

void check_hops(Checker& checker, const Json& data, const Runs& runs) {
  for (const Json& hop : data.at("hops")) {
    const std::string id = hop.at("id");
    const auto &queue = runs.of("hops", id, "ipcq", "tcm"), &store = runs.of("hops", id, "dma", "tcm");
    for (const auto* curve : {&queue, &store}) {
      double before = 0;
      for (const auto& [bytes, latency] : *curve) {
        checker.expect(latency > before, "E-66", "{} {}: {} B take {} ns, fewer bytes {} ns", id,
                       curve == &queue ? "ipcq" : "dma", bytes, latency, before);
        before = latency;
      }
    }
    if (hop.at("distance") != "cube") check_methods(checker, data, id, runs);
  }
}

// Between cubes it takes longer than inside one, for every method and size.
void check_distances(Checker& checker, const Json& data, const Runs& runs) {
  for (const Json& near : data.at("hops")) {
    for (const Json& far : data.at("hops")) {
      if (near.at("distance") != "cube" || far.at("distance") == "cube") continue;
      for (const char* method : {"ipcq", "dma"}) {
        const std::string near_id = near.at("id"), far_id = far.at("id");
        const auto& inside = runs.of("hops", near_id, method, "tcm");
        for (const auto& [bytes, latency] : runs.of("hops", far_id, method, "tcm")) {
          const auto found = inside.find(bytes);
          if (found == inside.end()) continue;
          checker.expect(latency > found->second, "E-66", "{} {}: {} B take {} ns, not more than the {} ns of {}",
                         far_id, method, bytes, latency, found->second, near_id);
        }
      }
    }
  }
}

// A message writes one slot; one that is read reads it once more: exactly what the slots cost (Q-62 .. ).
void check_rings(Checker& checker, const Json& data, const Runs& runs) {
  const std::vector<SlotCost> costs = slot_costs(data.at("slots"));
  const SlotCost& tcm = slot_cost(costs, "tcm");
  for (const Json& hop : data.at("hops")) {
    const std::string id = hop.at("id");
    const auto& base = runs.of("rings", id, "ipcq", "tcm");
    for (const SlotCost& cost : costs) {
      for (const auto& [method, accesses] : {std::pair("ipcq", 1), std::pair("ipcq_read", 2)}) {
        for (const auto& [bytes, latency] : runs.of("rings", id, method, cost.kind)) {
          const auto found = base.find(bytes);
          if (found == base.end()) continue;
          const auto size = static_cast<double>(bytes);
          const double expected = accesses * cost.ns(size) - tcm.ns(size), measured = latency - found->second;
          checker.expect(
              std::abs(measured - expected) <= kRounding, "E-47",
              "{}: {} of {} B over rings in {} takes {} ns more than one that is only written to the TCM; {} "
              "slot accesses make {} ns",
              id, method, bytes, cost.kind, measured, accesses, expected);
        }
      }
    }
  }
}

}  // namespace

std::vector<Violation> check_pe2pe(const Json& data) {
  const Runs runs(data);
  Checker checker;
  for (const Json& run : data.at("runs")) {
    checker.expect(run.at("correct").get<bool>(), "E-64", "{} {} of {} B: wrong contents",
                   run.at("hop").get<std::string>(), run.at("method").get<std::string>(), run.at("bytes").dump());
  }
  check_hops(checker, data, runs);
  check_distances(checker, data, runs);
  check_rings(checker, data, runs);
  return checker.take();
}

std::string pe2pe_csv(const Json& data) {
  std::string text = "set,hop,from,to,method,buffer_kind,bytes,latency_ns,correct\n";
  std::map<std::string, const Json*> hops;
  for (const Json& hop : data.at("hops")) hops[hop.at("id").get<std::string>()] = &hop;
  for (const Json& run : data.at("runs")) {
    const auto word = [](const Json& of, const char* name) { return of.at(name).get<std::string>(); };
    const auto hop = hops.find(word(run, "hop"));
    const auto end = [&](const char* name) { return hop == hops.end() ? std::string() : word(*hop->second, name); };
    text += csv_line({word(run, "set"), word(run, "hop"), end("from"), end("to"), word(run, "method"),
                      word(run, "buffer_kind"), run.at("bytes").dump(), run.at("latency_ns").dump(),
                      run.at("correct").dump()});
  }
  return text;
}

}  // namespace kb::evaluate
