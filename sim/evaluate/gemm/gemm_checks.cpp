// Relations that every sweep has to keep (E-9), and the table.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sim/evaluate/checker.h"
#include "sim/evaluate/csv.h"
#include "sim/evaluate/gemm/gemm_evaluation.h"

namespace kb::evaluate {
namespace {

constexpr double kRounding = 1e-9;       // of ratios of exact times
constexpr std::int64_t kManySteps = 32;  // K tiles of a shape that fills the pipeline
constexpr double kApproach = 0.9;        // of the steady state, E-32

std::string name_of(const Json& run) {
  return run.at("shape").get<std::string>() + " " + run.at("variant").get<std::string>();
}

std::int64_t tiles_of(const Json& run) {
  const Json& tiles = run.at("tiles");
  const auto count = [&](const char* size) { return whole_number(tiles, size, 1, kMostTiles); };
  return count("m") * count("k") * count("n");
}

void check_counts(Checker& checker, const Json& run) {
  const std::int64_t tiles = tiles_of(run);
  const std::int64_t outputs = tiles / whole_number(run.at("tiles"), "k", 1, kMostTiles);
  const std::int64_t streamed = (run.at("a_pinned") ? 0 : 1) + (run.at("b_pinned") ? 0 : 1);
  const std::pair<const char*, std::int64_t> expected[] = {
      {"FETCH", tiles},   {"GEMM", tiles},        {"DMA_READ", streamed * tiles},
      {"STORE", outputs}, {"DMA_WRITE", outputs}, {"MATH", 0}};
  for (const auto& [stage, count] : expected) {
    const std::int64_t found = run.at("stages").at(stage).at("count");
    checker.expect(found == count, "E-22", "{}: {} records of stage {} instead of {}", name_of(run), found, stage,
                   count);
  }
}

void check_times(Checker& checker, const Json& data, const Json& run) {
  const double window = run.at("composite_window_ns"), pe_window = run.at("pe_window_ns"), exec = run.at("pe_exec_ns");
  checker.expect(window > 0 && window <= pe_window * (1 + kRounding), "E-23",
                 "{}: the composite window of {} ns is not inside the PE window of {} ns", name_of(run), window,
                 pe_window);
  checker.expect(pe_window <= exec * (1 + kRounding), "E-11", "{}: engines work for {} ns in a kernel of {} ns",
                 name_of(run), pe_window, exec);
  const double utilisation = run.at("gemm_utilisation"), useful = run.at("useful_efficiency");
  checker.expect(utilisation > 0 && utilisation <= 1 + kRounding, "E-32", "{}: GEMM utilisation of {:.3f} %",
                 name_of(run), 100 * utilisation);
  checker.expect(useful <= utilisation * (1 + kRounding), "E-28", "{}: useful efficiency above utilisation",
                 name_of(run));
  const Json& theory = run.at("theory");
  for (const auto& [model, most] :
       {std::pair("ideal", theory.at("ideal").at("steady_state_bound").get<double>()),
        std::pair("round_trips", theory.at("round_trips").at("gemm_utilisation").get<double>())}) {
    checker.expect(utilisation <= most * (1 + kRounding), "E-32",
                   "{}: GEMM utilisation of {:.3f} % is above the bound of {:.3f} % of the model {}", name_of(run),
                   100 * utilisation, 100 * most, model);
  }
  const double tile = data.at("platform").at("tile_ns"), products = run.at("stages").at("GEMM").at("occupancy_ns");
  const double expected = run.value("array_ns", tile * static_cast<double>(tiles_of(run)));
  checker.expect(std::abs(products - expected) <= 1e-6 * expected, "E-30",
                 "{}: the products take {} ns; the topology says {} ns for {} tiles", name_of(run), products, expected,
                 tiles_of(run));
}

// Long K loops with one streamed operand come close to what the slowest stage allows. Not asked where the model knows
// no latencies.
void check_steady_state(Checker& checker, const Json& run) {
  const Json& tiles = run.at("tiles");
  if (run.at("variant") != "load_ref" || tiles.at("k") < kManySteps || tiles.at("m") != 1 || tiles.at("n") != 1) return;
  const double bound = run.at("theory").at("round_trips").at("gemm_utilisation"), measured = run.at("gemm_utilisation");
  checker.expect(measured >= kApproach * bound, "E-32",
                 "{}: GEMM utilisation of {:.3f} % does not come near the {:.3f} % of the model round_trips",
                 name_of(run), 100 * measured, 100 * bound);
}

// `many` is at least as large in every dimension, so that each of its stages has no less to do.
bool comparable(const Json& one, const Json& many) {
  const auto covers = [&](const char* size) {
    return many.at(size).get<std::int64_t>() >= one.at(size).get<std::int64_t>();
  };
  return many.at("variant") == one.at("variant") && covers("m") && covers("k") && covers("n");
}

void check_growth(Checker& checker, const Json& data) {
  for (const Json& one : data.at("runs")) {
    if (tiles_of(one) != 1) continue;
    for (const Json& many : data.at("runs")) {
      if (tiles_of(many) == 1 || !comparable(one, many)) continue;
      checker.expect(many.at("composite_window_ns") > one.at("composite_window_ns"), "E-32",
                     "{} with {} tiles is not slower than {} with one", name_of(many), tiles_of(many), name_of(one));
    }
  }
}

}  // namespace

std::vector<Violation> check_gemm(const Json& data) {
  Checker checker;
  for (const Json& run : data.at("runs")) {
    check_counts(checker, run);
    check_times(checker, data, run);
    if (!data.at("platform").value("channels", false)) check_steady_state(checker, run);
  }
  check_growth(checker, data);
  return checker.take();
}

std::string gemm_csv(const Json& data) {
  const Json& first = data.at("runs").at(0);
  std::vector<std::string> names{"m",
                                 "k",
                                 "n",
                                 "variant",
                                 "under_tile",
                                 "tiles",
                                 "composite_window_ns",
                                 "pe_window_ns",
                                 "pe_exec_ns",
                                 "gemm_utilisation",
                                 "useful_efficiency",
                                 "ideal_utilisation",
                                 "round_trips_utilisation"};
  for (const char* group : {"stages", "engines"}) {
    for (const auto& [name, sums] : first.at(group).items()) {
      for (const auto& [quantity, value] : sums.items()) names.push_back(name + "_" + quantity);
    }
  }
  std::string text = csv_line(names);
  for (const Json& run : data.at("runs")) {
    std::vector<std::string> cells;
    for (const char* column : {"m", "k", "n"}) cells.push_back(run.at(column).dump());
    cells.insert(cells.end(),
                 {run.at("variant").get<std::string>(), run.at("under_tile").dump(), std::to_string(tiles_of(run))});
    for (const char* column :
         {"composite_window_ns", "pe_window_ns", "pe_exec_ns", "gemm_utilisation", "useful_efficiency"}) {
      cells.push_back(run.at(column).dump());
    }
    for (const char* model : {"ideal", "round_trips"})
      cells.push_back(run.at("theory").at(model).at("gemm_utilisation").dump());
    for (const char* group : {"stages", "engines"}) {
      for (const auto& [name, sums] : run.at(group).items()) {
        for (const auto& [quantity, value] : sums.items()) cells.push_back(value.dump());
      }
    }
    text += csv_line(cells);
  }
  return text;
}

}  // namespace kb::evaluate
