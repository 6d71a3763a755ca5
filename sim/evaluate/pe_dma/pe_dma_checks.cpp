// The relations of E-59, and the table.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "sim/evaluate/checker.h"
#include "sim/evaluate/csv.h"
#include "sim/evaluate/pe_dma/pe_dma_evaluation.h"

namespace kb::evaluate {
namespace {

constexpr double kRounding = 1e-9;
constexpr double kFlitRounding = 1e-6;  // a wire rounds the time of each flit to a femtosecond
constexpr const char* kDistances[] = {"SAME_CUBE_PE_LOCAL", "SAME_CUBE_PE_REMOTE_BEST", "SAME_CUBE_PE_REMOTE_WORST",
                                      "REMOTE_CUBE_PE_REMOTE_BEST", "REMOTE_CUBE_PE_REMOTE_WORST"};
constexpr const char* kHotTargets[] = {"ctrl_hot_1", "ctrl_hot_2", "ctrl_hot_3", "all_pe_cube0_to_pe0"};

// The runs of one direction by scenario; a machine need not have all.
class Runs {
 public:
  Runs(const Json& data, const std::string& direction) : data_(data), direction_(direction) {}
  const Json* find(const char* scenario) const {
    for (const Json& run : data_.at("runs")) {
      if (run.at("direction") == direction_ && run.at("scenario") == scenario) return &run;
    }
    return nullptr;
  }
  std::vector<const Json*> all() const {
    std::vector<const Json*> list;
    for (const Json& run : data_.at("runs")) {
      if (run.at("direction") == direction_) list.push_back(&run);
    }
    return list;
  }
  const std::string& direction() const { return direction_; }

 private:
  const Json& data_;
  std::string direction_;
};

double number(const Json& run, const char* name) {
  return run.at(name).get<double>();
}

std::string name_of(const Json& run) {
  return run.at("scenario").get<std::string>();
}

// Each of the scenarios that are there is slower than the one before.
template <std::size_t N>
void expect_slower(Checker& checker, const Runs& runs, const char* const (&names)[N], const char* rule) {
  const Json* before = nullptr;
  for (const char* name : names) {
    const Json* run = runs.find(name);
    if (run == nullptr) continue;
    if (before != nullptr) {
      checker.expect(number(*run, "total_ns") > number(*before, "total_ns"), rule,
                     "{} ({} ns) is not slower than {} ({} ns)", name, number(*run, "total_ns"), name_of(*before),
                     number(*before, "total_ns"));
    }
    before = run;
  }
}

// What the parts of the path explain: the latency without others in the way.
double alone(const Json& run) {
  return number(run, "total_ns") - number(run.at("breakdown_ns"), "contention");
}

// Farther is slower. Which of two is farther is the machine's own matter: with slow routers the next cube can be nearer
// than the far end of the own one.
void check_distances(Checker& checker, const Runs& runs) {
  const auto expect_order = [&](const Json* near, const Json* far) {
    if (near == nullptr || far == nullptr || alone(*far) <= alone(*near)) return;
    checker.expect(number(*far, "total_ns") > number(*near, "total_ns"), "E-59.1",
                   "{} ({} ns) is not slower than {} ({} ns)", name_of(*far), number(*far, "total_ns"), name_of(*near),
                   number(*near, "total_ns"));
  };
  for (std::size_t i = 0; i + 1 < std::size(kDistances); ++i) {
    expect_order(runs.find(kDistances[i]), runs.find(kDistances[i + 1]));
  }
  for (std::size_t i = 0; i < 3; ++i) expect_order(runs.find(kDistances[i]), runs.find("REMOTE_SIP"));
}

void check_utilisation(Checker& checker, const Json& run) {
  const double single = number(run, "util_single"), aggregate = number(run, "util_aggregate");
  const double issuers = number(run, "issuers"), effective = number(run, "effective_gbs");
  checker.expect(aggregate <= 1 + kRounding, "E-59.2", "{}: {:.2f} % of the aggregate peak", name_of(run),
                 100 * aggregate);
  if (issuers == 1) {
    checker.expect(std::abs(single - aggregate) <= kRounding && single <= 1 + kRounding, "E-59.3",
                   "{}: one issuer, but {:.2f} % of the single and {:.2f} % of the aggregate peak", name_of(run),
                   100 * single, 100 * aggregate);
  }
  checker.expect(single <= issuers + 0.05, "E-59.4", "{}: {:.2f} % of a single path by {} issuers", name_of(run),
                 100 * single, issuers);
  const double expected = number(run, "bytes") / number(run, "total_ns");
  checker.expect(std::abs(effective - expected) <= kRounding * expected, "E-59.5",
                 "{}: effective bandwidth of {} GB/s is not bytes / time = {}", name_of(run), effective, expected);
}

// What the first flit of each write waits in the controller, while the others close up behind it.
double write_header_ns(const Json& data, const Json& run) {
  return run.at("direction") == "write" ? number(data.at("machine"), "hbm_overhead_ns") : 0.0;
}

// Nothing but the partition's wire limits the issuers together.
bool shares_one_wire(const Json& data, const Json& run) {
  return write_header_ns(data, run) == 0 &&
         std::abs(number(run, "single_peak_gbs") - number(run, "aggregate_peak_gbs")) <= kRounding;
}

void check_congestion(Checker& checker, const Json& data, const Runs& runs) {
  expect_slower(checker, runs, kHotTargets, "E-59.6");
  const Json* before = nullptr;
  for (const char* name : kHotTargets) {
    const Json* run = runs.find(name);
    if (run == nullptr) continue;
    if (before != nullptr && shares_one_wire(data, *before) && shares_one_wire(data, *run)) {
      checker.expect(number(*run, "effective_gbs") >= number(*before, "effective_gbs") * (1 - kRounding), "E-59.6",
                     "{} moves fewer bytes per ns than {}", name, name_of(*before));
    }
    before = run;
  }
  if (const Json* const all = runs.find("all_pe_cube0_to_pe0"); all != nullptr && shares_one_wire(data, *all)) {
    checker.expect(number(*all, "util_aggregate") >= 0.7, "E-59.7",
                   "all_pe_cube0_to_pe0 reaches {:.1f} % of the shared peak", 100 * number(*all, "util_aggregate"));
  }
  if (const Json* const east = runs.find("ucie_eastbound"); east != nullptr && number(*east, "issuers") > 1) {
    checker.expect(
        number(*east, "util_aggregate") < 0.9 * number(*east, "util_single"), "E-59.8",
        "ucie_eastbound: {:.1f} % of the aggregate peak is not clearly below {:.1f} % of a single path: only one "
        "connection is used",
        100 * number(*east, "util_aggregate"), 100 * number(*east, "util_single"));
  }
  const Json* const everyone = runs.find("sip_local_all");
  const Json* const alone = runs.find("SAME_CUBE_PE_LOCAL");
  if (everyone != nullptr && alone != nullptr) {
    const double expected = number(*alone, "effective_gbs") * number(*everyone, "issuers");
    checker.expect(std::abs(number(*everyone, "effective_gbs") - expected) <= 0.02 * expected, "E-59.12",
                   "sip_local_all moves {:.0f} bytes per ns, {:.0f} issuers alone {:.0f}",
                   number(*everyone, "effective_gbs"), number(*everyone, "issuers"), expected);
  }
}

void check_breakdown(Checker& checker, const Json& data, const Json& run) {
  const Json& parts = run.at("breakdown_ns");
  const double ucie = number(parts, "ucie"), residual = number(parts, "contention"), total = number(run, "total_ns");
  const std::string scenario = name_of(run);
  const bool same_cube = scenario.rfind("SAME_CUBE", 0) == 0;
  if (run.at("set") != "no_congestion") return;
  checker.expect(same_cube ? ucie == 0 : ucie > 0, "E-59.9", "{}: {} ns of UCIe", scenario, ucie);
  if (scenario == "SAME_CUBE_PE_LOCAL") {
    const double formula =
        (number(data, "bytes_per_issuer") - number(data, "flit_bytes")) / number(run, "single_peak_gbs");
    const double wire = number(parts, "wire_transfer");
    checker.expect(wire <= 1.05 * formula && wire >= 0.95 * formula - write_header_ns(data, run), "E-59.11",
                   "{}: {} ns on the wire, the formula says {}", scenario, wire, formula);
  }
  const double most = same_cube ? 0.25 : 0.7;
  checker.expect(residual >= -kFlitRounding * total && residual <= most * total, "E-59.10",
                 "{}: {:.3f} of {:.3f} ns are explained by no part of the path", scenario, residual, total);
}

}  // namespace

std::vector<Violation> check_pe_dma(const Json& data) {
  std::vector<Violation> all;
  for (const char* direction : {"write", "read"}) {
    const Runs runs(data, direction);
    Checker checker(std::string(direction) + ": ");
    check_distances(checker, runs);
    for (const Json* run : runs.all()) {
      check_utilisation(checker, *run);
      check_breakdown(checker, data, *run);
    }
    check_congestion(checker, data, runs);
    for (Violation& violation : checker.take()) all.push_back(std::move(violation));
  }
  return all;
}

std::string pe_dma_csv(const Json& data) {
  std::string text;
  for (const Json& run : data.at("runs")) {
    std::vector<std::string> names, cells;
    for (const auto& [name, value] : run.items()) {
      if (value.is_object()) continue;
      names.push_back(name);
      cells.push_back(value.is_string() ? value.get<std::string>() : value.dump());
    }
    for (const auto& [name, value] : run.at("breakdown_ns").items()) {
      names.push_back(name + "_ns");
      cells.push_back(value.dump());
    }
    if (text.empty()) text = csv_line(names);
    text += csv_line(cells);
  }
  return text;
}

}  // namespace kb::evaluate
