#include "sim/study/requests/figures.h"

#include <fmt/format.h>

#include "sim/study/files/gnuplot.h"

namespace kb::requests {
namespace {

constexpr std::size_t kMostPoints = 4000;  // of a line of the timeline
constexpr double kSecondNs = 1e9;
constexpr const char* kJouleAxis =
    "set y2label \"J per output token\"\nset y2range [0:*]\nset y2tics\nset ytics nomirror\n";

std::string head(const std::string& title) {
  return "set title " + files::plot_text(title) + "\nset grid\nset key outside right\n";
}

}  // namespace

void draw_knee(const RateSweep& sweep, const std::string& title, const std::string& folder) {
  std::string data = "$rates << EOD\n";
  for (const RatePoint& point : sweep.points) {
    data +=
        fmt::format("{} {} {} {} {}\n", files::plot_number(point.requests_per_s),
                    files::plot_number(point.latency_mean / kSecondNs),
                    files::plot_number(point.latency_p99 / kSecondNs), files::plot_number(point.ttft_p50 / kSecondNs),
                    files::plot_number(point.energy ? point.energy->per_output_token : 0.0));
  }
  data += "EOD\n";
  std::string script = data + head(title) + (sweep.counts_energy() ? kJouleAxis : "") +
                       "set xlabel \"requests served per second\"\nset ylabel \"seconds\"\nset logscale y\n"
                       "set offsets graph 0.03, graph 0.03\n"
                       "plot $rates using 1:2 with linespoints pointtype 7 title \"mean latency\", \\\n"
                       "     $rates using 1:3 with linespoints pointtype 6 title \"p99 of latency\", \\\n"
                       "     $rates using 1:4 with linespoints pointtype 5 title \"median time to first token\"";
  if (sweep.counts_energy()) {
    script += ", \\\n     $rates using 1:5 axes x1y2 with linespoints dashtype 2 title \"J per output token\"";
  }
  if (sweep.knee) {
    const RatePoint& knee = sweep.points[*sweep.knee];
    script = fmt::format("$knee << EOD\n{} {}\nEOD\n", files::plot_number(knee.requests_per_s),
                         files::plot_number(knee.latency_mean / kSecondNs)) +
             script + ", \\\n     $knee using 1:2 with points pointtype 7 pointsize 2 linecolor rgb '#c0392b' " +
             files::plot_title(fmt::format("knee: {:.3g} requests/s arrive", knee.rate));
  }
  files::draw({{"knee", script + "\n"}}, folder, 1);
}

void draw_timeline(const std::vector<serving::Second>& seconds, const std::string& title, const std::string& folder) {
  std::string data = "$seconds << EOD\n";
  const std::size_t step = seconds.size() / kMostPoints + 1;
  for (std::size_t i = 0; i < seconds.size(); i += step) {
    const serving::Second& one = seconds[i];
    data += fmt::format("{} {} {} {:.3f}\n", one.t, one.running, one.waiting, 100.0 * one.used_share);
  }
  data += "EOD\n";
  files::draw(
      {{"timeline", data + head(title) +
                        "set xlabel \"seconds\"\nset ylabel \"requests\"\nset yrange [0:*]\nset ytics nomirror\n"
                        "set y2label \"blocks in use, %\"\nset y2range [0:105]\nset y2tics\n"
                        "plot $seconds using 1:2 with lines linewidth 2 title \"running\", \\\n"
                        "     $seconds using 1:3 with lines linewidth 2 title \"waiting\", \\\n"
                        "     $seconds using 1:4 axes x1y2 with lines dashtype 2 title \"blocks in use\"\n"}},
      folder, 1);
}

}  // namespace kb::requests
