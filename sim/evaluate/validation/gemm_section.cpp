// Composite GEMMs of one PE beside the roofline of its array and its memory.
#include <fmt/format.h>

#include <algorithm>

#include "sim/evaluate/bars.h"
#include "sim/evaluate/files.h"
#include "sim/evaluate/gemm/gemm_model.h"
#include "sim/evaluate/lines.h"
#include "sim/evaluate/validation/section.h"
#include "sim/evaluate/validation/traffic.h"

namespace kb::evaluate {
namespace {

constexpr const char* kName = "gemm";
constexpr const char* kScheduler = "cube.pe_template.components.pe_scheduler.attrs.";
constexpr const char* kOutstanding = "cube.pe_template.components.pe_dma.attrs.rd_outstanding";
constexpr const char* kRegisters = "cube.pe_template.components.pe_fetch_store.attrs.register_file_kb";
constexpr const char* kRegistersKb = "512";  // room for the largest tile, f32 sums included
constexpr std::int64_t kDepth = 8192;        // K, long enough to hide filling and draining
constexpr std::int64_t kDtypeBytes = 2;

// Rows and columns of the result, which is one tile: K steps stream A and B.
struct GemmCase {
  std::int64_t m, n, tile;
};
constexpr GemmCase kCases[] = {{1, 32, 32},  {4, 32, 32},  {16, 32, 32}, {32, 32, 32},
                               {64, 32, 64}, {64, 64, 64}, {96, 96, 96}, {128, 128, 128}};

// Reads that PE_DMA has under way, and the least share of the roofline. With one, each read waits for the one before.
struct ReadCase {
  int outstanding;
  double least;
};
constexpr ReadCase kReads[] = {{1, 0.3}, {4, 0.75}};

std::string id_of(const GemmCase& shape, const ReadCase& reads) {
  return fmt::format("{}_{}x{}_{}", kName, shape.m, shape.n, reads.outstanding);
}
std::string scenario_of(const ReadCase& reads) {
  return fmt::format("composite GEMM, {} read{} under way", reads.outstanding, reads.outstanding == 1 ? "" : "s");
}

double products(const GemmCase& shape) {
  return static_cast<double>(shape.m * shape.n * kDepth);
}
// Products per byte that is read.
double intensity(const GemmCase& shape) {
  return products(shape) / static_cast<double>((shape.m + shape.n) * kDepth * kDtypeBytes);
}

// The array works in whole granules (P-28): a row costs as much as 32.
double roof(const GemmPlatform& platform, const GemmCase& shape) {
  const double array = products(shape) / platform.product_ns(shape.m, kDepth, shape.n);
  return std::min(array, platform.link_gbs * intensity(shape));
}

class GemmSection final : public ISection {
 public:
  std::string name() const override { return kName; }

  std::vector<Point> points(const topology::LoadedTopology&) const override {
    std::vector<Point> list;
    for (const ReadCase& reads : kReads) {
      for (const GemmCase& shape : kCases) {
        Point point;
        point.id = id_of(shape, reads);
        point.workload = "matmul-composite";
        point.params = {{"m", std::to_string(shape.m)},
                        {"k", std::to_string(kDepth)},
                        {"n", std::to_string(shape.n)},
                        {"variant", "ref"}};
        point.machine_sets = {{std::string(kScheduler) + "tile_m", std::to_string(shape.tile)},
                              {std::string(kScheduler) + "tile_n", std::to_string(shape.tile)},
                              {kOutstanding, std::to_string(reads.outstanding)},
                              {kRegisters, kRegistersKb}};
        point.oplog = false;
        list.push_back(std::move(point));
      }
    }
    return list;
  }

  Json row(const Point&, const PointFiles& files) const override {
    const Json result = Json::parse(read_file(files.result));
    return {{"time_ns", result.at("figures").at(0).at("value")}};
  }

  std::vector<Measured> measured(const topology::LoadedTopology& machine, const RowMap& rows) const override {
    const GemmPlatform platform = gemm_platform(machine, pe_at(0, 0, 0));
    std::vector<Measured> list;
    for (const ReadCase& reads : kReads) {
      for (const GemmCase& shape : kCases) {
        const double rate = products(shape) / rows.at(id_of(shape, reads)).at("time_ns").get<double>();
        const double most = roof(platform, shape);
        list.push_back({kName, scenario_of(reads), "products per byte read", intensity(shape), "rate", rate, "MAC/ns",
                        "roofline", most, reads.least * most, most});
      }
    }
    return list;
  }

  Figure draw(const Json& data) const override {
    constexpr int kWidth = 900, kHeight = 600;
    std::vector<LineSeries> lines;
    const auto add = [&](const std::string& title, const char* colour, const ReadCase& reads, const char* member) {
      auto points = curve_of(data, kName, scenario_of(reads), "rate", member);
      require_runs(!points.empty(), "the roofline");
      lines.push_back({title, colour, std::move(points)});
    };
    add("roofline: array with its padding, or bytes read at the HBM's rate", kGrey, kReads[0], "beside");
    lines.back().marker = 0;
    add("kernbench, 4 reads under way", kBlue, kReads[1], "value");
    add("kernbench, 1 read under way", kRed, kReads[0], "value");
    return {"validation_gemm",
            chart_head("Composite GEMM of one PE beside the roofline", "products per ns") +
                "set bmargin 7\nset logscale x 2\nset logscale y 2\nset xlabel 'products per byte read'\n"
                "set xrange [0.25:64]\nset yrange [32:8192]\n" +
                caption({"f16, K = 8192, one output tile; A and B stream from the PE's HBM slice.", made_by(data)},
                        kHeight) +
                plot_lines(lines) + "\n",
            kWidth, kHeight};
  }
};

}  // namespace

std::unique_ptr<ISection> gemm_section() {
  return std::make_unique<GemmSection>();
}

}  // namespace kb::evaluate
