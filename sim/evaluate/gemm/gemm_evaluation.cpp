#include "sim/evaluate/gemm/gemm_evaluation.h"

#include <algorithm>
#include <sstream>

#include "platform/base/error.h"
#include "platform/data/op_log_reader.h"
#include "sim/evaluate/files.h"
#include "sim/evaluate/stage_times.h"

namespace kb::evaluate {
namespace {

constexpr const char* kShapes = "16x16x16,32x32x32,64x64x64,128x128x128,256x256x256,512x512x512,32x128x32,32x3072x32";
constexpr const char* kNotDrawn = "512x512x512";  // E-17: it would hide the others
constexpr const char* kPe = "sip0.cube0.pe0";     // of the workload

const std::vector<GemmVariant>& variants() {
  static const std::vector<GemmVariant> all = {{"ref", false, false}, {"load_ref", true, false}, {"load", true, true}};
  return all;
}

Error usage_error(const std::string& text) {
  return Error(ErrorFamily::configuration, "USAGE_ERROR", text);
}

std::string joined(const std::vector<std::string>& list) {
  std::string text;
  for (const std::string& item : list) text += (text.empty() ? "" : ", ") + item;
  return text;
}

std::vector<GemmShape> parse_shapes(const std::string& text, const char* option) {
  std::vector<GemmShape> shapes;
  std::stringstream list(text);
  for (std::string item; std::getline(list, item, ',');) {
    GemmShape shape;
    char x1 = 0, x2 = 0, rest = 0;
    std::stringstream one(item);
    const bool read = static_cast<bool>(one >> shape.m >> x1 >> shape.k >> x2 >> shape.n) && !(one >> rest);
    constexpr std::int64_t kMost = 1 << 20;
    const auto fits = [](std::int64_t size) { return size >= 1 && size <= kMost; };
    if (!read || x1 != 'x' || x2 != 'x' || !fits(shape.m) || !fits(shape.k) || !fits(shape.n)) {
      throw usage_error(std::string(option) + ": '" + item +
                        "' is not a shape; write MxKxN with sizes of 1 to 1048576, " +
                        "e.g. 32x3072x32, and commas between shapes");
    }
    const bool twice =
        std::any_of(shapes.begin(), shapes.end(), [&](const GemmShape& s) { return s.text() == shape.text(); });
    if (twice) throw usage_error(std::string(option) + " names " + item + " twice");
    shapes.push_back(shape);
  }
  return shapes;
}

Json times_json(const std::map<std::string, IntervalSum>& sums, std::initializer_list<const char*> names) {
  Json json = Json::object();
  for (const char* name : names) {
    const auto found = sums.find(name);
    const IntervalSum sum = found == sums.end() ? IntervalSum() : found->second;
    json[name] = {
        {"count", sum.count()}, {"wall_ns", fs_to_ns(sum.wall())}, {"occupancy_ns", fs_to_ns(sum.occupancy())}};
  }
  return json;
}

Json theory_json(const GemmTheory& theory, double useful) {
  return {{"total_ns", theory.total_ns},
          {"gemm_utilisation", theory.utilisation},
          {"useful_efficiency", theory.utilisation * useful},
          {"steady_state_bound", theory.bound}};
}

class GemmEvaluation final : public IEvaluation {
 public:
  explicit GemmEvaluation(const EvaluationOptions& options)
      : own_shapes_(options.shapes.empty()),
        own_exclusion_(options.exclude.empty()),
        shapes_(parse_shapes(own_shapes_ ? kShapes : options.shapes, "--shapes")) {
    const char* const usual = own_shapes_ ? kNotDrawn : "";
    not_drawn_ = texts(parse_shapes(own_exclusion_ ? usual : options.exclude, "--exclude"));
  }

  std::string name() const override { return "gemm"; }
  std::string data_file() const override { return "gemm_sweep.json"; }

  std::vector<Point> points(const topology::LoadedTopology&) const override {
    check_exclusion(texts(shapes_));
    std::vector<Point> list;
    for (const GemmShape& shape : shapes_) {
      for (const GemmVariant& variant : variants()) {
        list.push_back({shape.text() + "_" + variant.name,
                        "matmul-composite",
                        {{"m", std::to_string(shape.m)},
                         {"k", std::to_string(shape.k)},
                         {"n", std::to_string(shape.n)},
                         {"variant", variant.name}}});
      }
    }
    return list;
  }

  // A whole operand that is loaded has to fit the TCM; the other variants of the shape are measured all the same.
  std::optional<Json> row_of_failure(const Point& point, const std::string& code,
                                     const std::string& message) const override {
    if (code != "OUT_OF_SCRATCH") return std::nullopt;
    Json row = parameters_json(point);
    row["does_not_fit"] = message;
    return row;
  }

  void choose(Json& data) const override {
    std::vector<std::string> measured;
    for (const char* list : {"runs", "does_not_fit"}) {
      for (const Json& run : data.at(list)) measured.push_back(run.at("shape"));
    }
    std::sort(measured.begin(), measured.end());
    measured.erase(std::unique(measured.begin(), measured.end()), measured.end());
    std::vector<std::string> asked = texts(shapes_);
    std::sort(asked.begin(), asked.end());
    if (!own_shapes_ && asked != measured) {
      throw usage_error("--shapes: the data file has " + joined(measured) +
                        "; measure other shapes without --fast, or choose of these with --exclude");
    }
    if (own_shapes_ && own_exclusion_) return;
    check_exclusion(measured);
    data.at("figures")["excluded"] = not_drawn_;
  }

  Json row(const Point& point, const PointFiles& files) const override {
    const data::OpLogReader log(files.oplog);
    const StageTimes times = stage_times([&](const auto& visit) { log.for_each(visit); }, kPe);
    const Json result = Json::parse(read_file(files.result));
    Json row = parameters_json(point);
    row["stages"] = times_json(times.stages, {"DMA_READ", "FETCH", "GEMM", "MATH", "STORE", "DMA_WRITE"});
    row["engines"] = times_json(times.engines, {"pe_dma", "pe_fetch_store", "pe_gemm", "pe_math"});
    row["pe_window_ns"] = fs_to_ns(times.pe.window());
    row["composite_window_ns"] = fs_to_ns(times.composite.window());
    row["pe_exec_ns"] = result.at("launches").back().at("pe_exec_ns").at("max");
    return row;
  }

  Json data(const topology::LoadedTopology& machine, const std::vector<Json>& rows) const override {
    const GemmPlatform platform = gemm_platform(machine, PeCoord{SipId(0), CubeId(0), PeId(0)});
    const plan::TileShape& tile = platform.tile;
    Json runs = Json::array(), too_large = Json::array();
    for (const Json& row : rows) {
      const GemmShape shape{row["m"], row["k"], row["n"]};
      if (row.contains("does_not_fit")) {
        too_large.push_back({{"shape", shape.text()}, {"variant", row["variant"]}, {"reason", row["does_not_fit"]}});
        continue;
      }
      const auto variant = std::find_if(variants().begin(), variants().end(),
                                        [&](const GemmVariant& v) { return v.name == row["variant"]; });
      runs.push_back(run_json(platform, shape, *variant, row));
    }
    if (runs.empty()) {
      throw Error::program("OUT_OF_SCRATCH",
                           "none of the shapes fits the machine: " + too_large[0].at("reason").get<std::string>());
    }
    return {{"tile_sizes", {{"m", tile.m}, {"k", tile.k}, {"n", tile.n}}},
            {"dtype", "f16"},
            {"pe", kPe},
            {"platform", platform.json()},
            {"figures", {{"variant", "load_ref"}, {"excluded", not_drawn_}}},
            {"runs", runs},
            {"does_not_fit", too_large}};
  }

  std::string csv(const Json& data) const override { return gemm_csv(data); }
  std::vector<Violation> check(const Json& data) const override { return check_gemm(data); }
  std::vector<Figure> figures(const Json& data) const override { return gemm_figures(data); }
  std::vector<std::string> figure_names() const override { return gemm_figure_names(); }
  std::vector<std::string> remarks(const Json& data) const override {
    std::vector<std::string> texts;
    for (const Json& run : data.at("does_not_fit")) {
      texts.push_back(run.at("shape").get<std::string>() + " " + run.at("variant").get<std::string>() +
                      " does not fit and has no figures: " + run.at("reason").get<std::string>());
    }
    return texts;
  }

 private:
  static std::vector<std::string> texts(const std::vector<GemmShape>& shapes) {
    std::vector<std::string> list;
    for (const GemmShape& shape : shapes) list.push_back(shape.text());
    return list;
  }

  static Json parameters_json(const Point& point) {
    Json json;
    for (const auto& [name, value] : point.params) {
      json[name] = name == "variant" ? Json(value) : Json(std::stoll(value));
    }
    return json;
  }

  // Of the shapes that there are, some must be left to draw.
  void check_exclusion(const std::vector<std::string>& measured) const {
    const auto among = [](const std::vector<std::string>& list) {
      return [&](const std::string& shape) { return std::find(list.begin(), list.end(), shape) != list.end(); };
    };
    const auto stranger = std::find_if_not(not_drawn_.begin(), not_drawn_.end(), among(measured));
    if (stranger != not_drawn_.end()) {
      throw usage_error("--exclude: " + *stranger + " is none of the shapes, which are " + joined(measured));
    }
    if (std::all_of(measured.begin(), measured.end(), among(not_drawn_))) {
      throw usage_error("--exclude leaves no shape to draw of " + joined(measured));
    }
  }

  static Json run_json(const GemmPlatform& platform, const GemmShape& shape, const GemmVariant& variant,
                       const Json& row) {
    const plan::TileShape& tile = platform.tile;
    const double useful = useful_share(platform, shape);
    const double window = row["composite_window_ns"];
    const double utilisation = window > 0 ? row["stages"]["GEMM"]["wall_ns"].get<double>() / window : 0.0;
    const auto steps = [](std::int64_t size, std::int64_t step) { return (size + step - 1) / step; };
    Json run{{"shape", shape.text()},
             {"m", shape.m},
             {"k", shape.k},
             {"n", shape.n},
             {"variant", variant.name},
             {"a_pinned", variant.a_pinned},
             {"b_pinned", variant.b_pinned},
             {"under_tile", shape.m < tile.m || shape.k < tile.k || shape.n < tile.n},
             {"tiles", {{"m", steps(shape.m, tile.m)}, {"k", steps(shape.k, tile.k)}, {"n", steps(shape.n, tile.n)}}}};
    for (const char* member : {"stages", "engines", "pe_window_ns", "composite_window_ns", "pe_exec_ns"}) {
      run[member] = row[member];
    }
    run["array_ns"] = array_ns(platform, shape);
    run["gemm_utilisation"] = utilisation;
    run["useful_efficiency"] = utilisation * useful;
    run["theory"] = {{"ideal", theory_json(ideal_theory(platform, shape, variant), useful)},
                     {"round_trips", theory_json(round_trip_theory(platform, shape, variant), useful)}};
    return run;
  }

  bool own_shapes_, own_exclusion_;  // of this evaluation, not of the command line
  std::vector<GemmShape> shapes_;
  std::vector<std::string> not_drawn_;
};

}  // namespace

std::unique_ptr<IEvaluation> gemm_evaluation(const EvaluationOptions& options) {
  refuse_others("gemm", options, {"--shapes", "--exclude"});
  return std::make_unique<GemmEvaluation>(options);
}

}  // namespace kb::evaluate
