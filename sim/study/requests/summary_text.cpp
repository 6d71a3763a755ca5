#include <fmt/format.h>

#include "platform/energy/coefficient.h"
#include "platform/observe/text_table.h"
#include "sim/study/requests/summary.h"
#include "sim/study/requests/table_errors.h"

namespace kb::requests {
namespace {

using observe::TextTable;
constexpr double kNsPerMs = 1e6;

std::string head(const Summary& summary) {
  const serving::VllmLimits& limits = summary.setup.limits;
  std::string text = fmt::format("{} requests of {} ({})", summary.requests, summary.trace, summary.trace_format);
  if (summary.rate) text += fmt::format(", {:.4g} per second", *summary.rate);
  text += fmt::format("\n{} on {}, {}, tp {}", summary.model, summary.hardware.empty() ? "?" : summary.hardware,
                      summary.simulated ? "simulated" : "profile " + summary.profile, summary.setup.ranks.tp);
  if (summary.setup.model.experts > 0) text += fmt::format(", ep {}", summary.setup.ranks.ep);
  text += fmt::format("\n{} blocks of {} tokens, at most {} requests and {} tokens in a step, prefix cache {}\n\n",
                      limits.blocks, limits.block_size, limits.max_seqs, limits.max_tokens,
                      limits.prefix_cache ? "on" : "off");
  return text;
}

void add_row(TextTable& table, const char* name, const serving::Distribution& values) {
  std::vector<std::string> row = {name, observe::fixed(values.mean() / kNsPerMs, 2)};
  for (const double percent : {50.0, 90.0, 95.0, 99.0}) {
    row.push_back(observe::fixed(values.percentile(percent) / kNsPerMs, 2));
  }
  row.push_back(observe::fixed(static_cast<double>(values.most()) / kNsPerMs, 2));
  table.add(std::move(row));
}

std::string run_text(const Served& served, const serving::VllmLimits& limits) {
  const serving::Statistics& all = served.statistics;
  constexpr auto right = TextTable::Align::right;
  TextTable times(
      {{"ms"}, {"mean", right}, {"p50", right}, {"p90", right}, {"p95", right}, {"p99", right}, {"most", right}});
  add_row(times, "time to first token", all.first_token);
  add_row(times, "time per output token", all.per_token);
  add_row(times, "gap between tokens", all.gaps);
  add_row(times, "latency", all.latency);
  add_row(times, "queuing", all.queuing);
  const auto blocks = static_cast<double>(limits.blocks);
  return times.render("  ") +
         fmt::format(
             "\n  {:.3f} s from the first arrival to the last token, {} steps, busy {:.1f} %\n"
             "  throughput: {:.3f} requests/s, {:.1f} input tokens/s, {:.1f} output tokens/s\n"
             "  running: {:.1f} on average, {} at most; waiting: {} at most\n"
             "  blocks in use: {:.1f} % on average, {:.1f} % at most\n"
             "  {} preemptions, {} tokens computed again, {} input tokens found in the prefix cache\n",
             all.seconds(), all.steps, all.seconds() > 0 ? static_cast<double>(all.busy_ns) / all.seconds() / 1e7 : 0.0,
             all.requests_per_s(), all.input_tokens_per_s(), all.output_tokens_per_s(), all.mean_running(),
             all.most_running, all.most_waiting, 100.0 * all.mean_used_blocks() / blocks,
             100.0 * static_cast<double>(all.most_used_blocks) / blocks, served.counts.preemptions,
             served.counts.recomputed_tokens, served.counts.hit_tokens);
}

std::string sweep_text(const RateSweep& sweep) {
  constexpr auto right = TextTable::Align::right;
  std::vector<TextTable::Column> columns;
  for (const char* name : {"rate/s", "served/s", "tokens/s", "TTFT p50 ms", "TTFT p99 ms", "TPOT ms", "latency ms",
                           "p99 ms", "preempted"}) {
    columns.push_back({name, right});
  }
  if (sweep.counts_energy()) columns.insert(columns.end(), {{"energy/token", right}, {"W", right}});
  columns.push_back({""});
  TextTable table(columns);
  const auto ms = [](double ns) { return observe::fixed(ns / kNsPerMs, 1); };
  for (std::size_t i = 0; i < sweep.points.size(); ++i) {
    const RatePoint& point = sweep.points[i];
    std::vector<std::string> row = {observe::fixed(point.rate, 3),
                                    observe::fixed(point.requests_per_s, 3),
                                    observe::fixed(point.output_tokens_per_s, 1),
                                    ms(point.ttft_p50),
                                    ms(point.ttft_p99),
                                    ms(point.tpot_mean),
                                    ms(point.latency_mean),
                                    ms(point.latency_p99),
                                    std::to_string(point.preemptions)};
    if (point.energy) {
      row.push_back(joules_text(point.energy->per_output_token));
      row.push_back(energy::three_digits(point.energy->watts));
    }
    row.emplace_back(sweep.knee == i ? "<- knee" : "");
    table.add(std::move(row));
  }
  return table.render("  ");
}

std::string check_text(const SimulatedTimes& times) {
  constexpr auto right = TextTable::Align::right;
  const std::optional<double> joules = times.mean_joules_error();
  std::vector<TextTable::Column> columns;
  for (const char* name : {"step", "tokens", "requests", "us", "simulated us", "difference"}) {
    columns.push_back({name, right});
  }
  if (joules) columns.insert(columns.end(), {{"energy", right}, {"difference", right}});
  TextTable table(columns);
  const auto us = [](std::int64_t ns) { return observe::fixed(static_cast<double>(ns) / 1000, 1); };
  for (const StepCheck& one : times.checks) {
    std::vector<std::string> row = {
        std::to_string(one.number), std::to_string(one.tokens), std::to_string(one.sequences), us(one.ns),
        us(one.exact_ns),           percent_text(one.error())};
    if (joules) row.insert(row.end(), {joules_text(*one.joules), percent_text(one.joules_error())});
    table.add(std::move(row));
  }
  return fmt::format("\n{} steps simulated exactly, as kernbench model step does:\n", times.checks.size()) +
         table.render("  ") + fmt::format("  mean time of these steps: {} off\n", percent_text(times.mean_error())) +
         (joules ? fmt::format("  mean of their joules: {} off\n", percent_text(*joules)) : "");
}

std::string simulated_text(const SimulatedTimes& times) {
  std::string text = fmt::format("\ntimes of launches: {} cells simulated, {} known\n", times.simulated, times.known) +
                     table_errors_text(times.tables);
  if (!times.checks.empty()) text += check_text(times);
  return text;
}

}  // namespace

double SimulatedTimes::mean_error() const {
  std::int64_t ns = 0, exact_ns = 0;
  for (const StepCheck& one : checks) {
    ns += one.ns;
    exact_ns += one.exact_ns;
  }
  return exact_ns == 0 ? 0.0 : static_cast<double>(ns - exact_ns) / static_cast<double>(exact_ns);
}

std::optional<double> SimulatedTimes::mean_joules_error() const {
  double joules = 0, exact = 0;
  for (const StepCheck& one : checks) {
    if (!one.joules || !one.exact_joules) return std::nullopt;
    joules += *one.joules;
    exact += *one.exact_joules;
  }
  return exact > 0 ? std::optional<double>(joules / exact - 1.0) : std::nullopt;
}

std::string summary_text(const Summary& summary) {
  std::string text = head(summary);
  text += summary.sweep != nullptr ? sweep_text(*summary.sweep) : run_text(*summary.served, summary.setup.limits);
  if (summary.simulated && summary.simulated->energy) {
    text += energy_text(*summary.simulated->energy, summary.energy());
  }
  if (summary.simulated) text += simulated_text(*summary.simulated);
  text += "\nabstractions:\n";
  constexpr std::size_t kWidth = 116;
  const auto& sentences = summary.sweep != nullptr ? summary.sweep->abstractions : summary.served->abstractions;
  for (const std::string& sentence : sentences) {
    const char* mark = "  - ";
    for (const std::string& line : observe::wrapped(sentence, kWidth)) {
      text += mark + line + "\n";
      mark = "    ";
    }
  }
  return text;
}

}  // namespace kb::requests
