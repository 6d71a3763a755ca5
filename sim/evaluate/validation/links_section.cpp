// Short writes over a UCIe port and over the tray's switch against long ones over the same routes.
#include <fmt/format.h>

#include "sim/evaluate/bars.h"
#include "sim/evaluate/validation/section.h"
#include "sim/evaluate/validation/traffic.h"

namespace kb::evaluate {
namespace {

constexpr const char* kName = "links";
constexpr std::uint64_t kLongBytes = 65536;
constexpr double kLeastShare = 0.9;
constexpr double kHighest = 1.25;  // PCIe endpoints gather a long write before they pass it on

struct LinkCase {
  const char* id;
  const char* scenario;
  bool between_sips;
  std::uint64_t bytes;         // of a write
  std::uint64_t stream_bytes;  // of each PE
  double least;                // of the rate of long writes
};

constexpr std::uint64_t kUcieBytes = 4 * kLongBytes, kSwitchBytes = 16 * kLongBytes;
constexpr LinkCase kCases[] = {{"ucie", "UCIe port eastbound", false, 256, kUcieBytes, kLeastShare},
                               {"ucie", "UCIe port eastbound", false, 4096, kUcieBytes, kLeastShare},
                               {"ucie", "UCIe port eastbound", false, kLongBytes, kUcieBytes, 1.0},
                               {"switch", "tray's switch both ways", true, 4096, kSwitchBytes, kLeastShare},
                               {"switch", "tray's switch both ways", true, kLongBytes, kSwitchBytes, 1.0}};

std::string id_of(const LinkCase& one, std::uint64_t bytes) {
  return fmt::format("{}_{}_{}", kName, one.id, bytes);
}

// Every PE writes a stream to the PE of its number: in the next cube, or in the other SIP and back.
std::string streams(const topology::MachineSpec& spec, const LinkCase& one) {
  Trace trace(spec.hbm_slice_bytes());
  const auto pes = static_cast<std::uint64_t>(spec.pes_per_cube());
  for (std::uint64_t offset = 0; offset < one.stream_bytes; offset += one.bytes) {
    for (std::uint64_t pe = 0; pe < pes; ++pe) {
      if (!one.between_sips) {
        trace.add(0, "pe_write", pe_at(0, 0, pe), pe_at(0, 1, pe), offset, one.bytes);
        continue;
      }
      for (std::uint64_t cube = 0; cube < 2; ++cube) {
        for (std::uint64_t sip = 0; sip < 2; ++sip) {
          trace.add(0, "pe_write", pe_at(sip, cube, pe), pe_at(1 - sip, cube, pe), offset, one.bytes);
        }
      }
    }
  }
  return trace.take();
}

class LinksSection final : public ISection {
 public:
  std::string name() const override { return kName; }

  std::vector<Point> points(const topology::LoadedTopology& machine) const override {
    std::vector<Point> list;
    for (const LinkCase& one : kCases) {
      Point point;
      point.id = id_of(one, one.bytes);
      point.trace = streams(machine.graph.spec, one);
      list.push_back(std::move(point));
    }
    return list;
  }

  Json row(const Point&, const PointFiles& files) const override {
    const std::vector<Transfer> writes = read_transfers(files.result);
    double bytes = 0;
    for (const Transfer& write : writes) bytes += static_cast<double>(write.bytes);
    return {{"rate", bytes / last_delivered_ns(writes)}};
  }

  std::vector<Measured> measured(const topology::LoadedTopology&, const RowMap& rows) const override {
    std::vector<Measured> list;
    for (const LinkCase& one : kCases) {
      const double rate = rows.at(id_of(one, one.bytes)).at("rate");
      const double most = rows.at(id_of(one, kLongBytes)).at("rate");
      list.push_back({kName, one.scenario, "bytes", static_cast<double>(one.bytes), "bandwidth", rate, "GB/s",
                      "writes of 64 KiB", most, one.least * most, kHighest * most});
    }
    return list;
  }

  Figure draw(const Json& data) const override {
    constexpr int kWidth = 900, kHeight = 560;
    constexpr double kPercent = 100;
    BarChart chart;
    chart.groups = {"256 B", "4 KiB", "64 KiB"};
    for (const auto& [scenario, colour] :
         {std::pair(kCases[0].scenario, kBlue), std::pair(std::end(kCases)[-1].scenario, kRed)}) {
      BarSeries series{scenario, colour, {}, {}};
      const auto rates = curve_of(data, kName, scenario, "bandwidth", "value");
      const auto most = curve_of(data, kName, scenario, "bandwidth", "beside");
      require_runs(!rates.empty(), scenario);
      for (const double bytes : {256.0, 4096.0, 65536.0}) {
        series.values.emplace_back();
        series.labels.emplace_back();
        for (std::size_t i = 0; i < rates.size(); ++i) {
          if (rates[i].first != bytes) continue;
          series.values.back() = kPercent * rates[i].second / most[i].second;
          series.labels.back() = fmt::format("{:.0f} GB/s", rates[i].second);
        }
      }
      chart.series.push_back(std::move(series));
    }
    return {"validation_links",
            "set encoding utf8\nset title " + plot_text("Streams of short writes against writes of 64 KiB") +
                " font ',14'\nset ylabel 'rate [% of that of 64 KiB]'\nset grid ytics linecolor rgb '#dddddd'\n"
                "set border 3\nset ytics nomirror\nset key top left horizontal\nset bmargin 7\nset yrange [0:130]\n" +
                caption({"Reference machine. UCIe: the 8 PEs of cube 0 to cube 1, 256 KiB each. Switch: the PEs of "
                         "cubes 0 and 1 of both SIPs, 1 MiB each.",
                         made_by(data)},
                        kHeight) +
                level(kPercent * kLeastShare) + plot_bars(chart) + "\n",
            kWidth, kHeight};
  }
};

}  // namespace

std::unique_ptr<ISection> links_section() {
  return std::make_unique<LinksSection>();
}

}  // namespace kb::evaluate
