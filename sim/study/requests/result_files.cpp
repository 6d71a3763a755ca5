#include "sim/study/requests/result_files.h"

#include <fmt/format.h>

#include <utility>

#include "platform/observe/json_writer.h"
#include "sim/study/files/csv.h"
#include "sw/serving/statistics.h"

namespace kb::requests {
namespace {

std::string ms(double ns) {
  return observe::number_text(ns / 1e6);
}

}  // namespace

RequestRows::RequestRows(std::string model, observe::TextSink write, bool energy)
    : model_(std::move(model)), write_(std::move(write)), energy_(energy) {
  const std::string columns =
      "instance id,request id,model,input,output,arrival,end_time,latency,queuing_delay,TTFT,TPOT,ITL";
  write_(columns + (energy ? ",joules\n" : "\n"));
}

void RequestRows::on_finished(const serving::Job& job) {
  const serving::RequestTimes times = serving::times_of(job);
  const auto text = [](std::int64_t value) { return std::to_string(value); };
  std::vector<std::string> row = {"0",
                                  std::to_string(job.id),
                                  model_,
                                  text(job.request->input_tokens),
                                  text(job.generated),
                                  text(job.arrival_ns),
                                  text(job.last_token_ns),
                                  text(times.latency_ns),
                                  text(times.prefill_wait_ns),
                                  text(times.first_token_ns),
                                  text(times.per_token_ns),
                                  fmt::format("[{}]", fmt::join(job.gaps_ns, ", "))};
  if (energy_) row.push_back(observe::number_text(job.joules));
  write_(files::csv_line(row));
}

std::string second_columns(bool energy) {
  return std::string("t,prompt_throughput,gen_throughput,running,waiting,kv_cache_pct") + (energy ? ",watts\n" : "\n");
}

std::string second_row(const serving::Second& second, bool energy) {
  return fmt::format("{},{},{},{},{},{:.2f}{}\n", second.t, second.input_tokens, second.output_tokens, second.running,
                     second.waiting, 100.0 * second.used_share,
                     energy ? ',' + observe::number_text(second.joules) : "");
}

std::string rate_table(const RateSweep& sweep) {
  std::string text =
      "rate_per_s,requests_per_s,output_tokens_per_s,ttft_p50_ms,ttft_p99_ms,tpot_mean_ms,latency_mean_ms,"
      "latency_p50_ms,latency_p99_ms,preemptions,knee";
  text += sweep.counts_energy() ? ",joules_per_output_token,watts\n" : "\n";
  for (std::size_t i = 0; i < sweep.points.size(); ++i) {
    const RatePoint& point = sweep.points[i];
    std::vector<std::string> row = {observe::number_text(point.rate),
                                    observe::number_text(point.requests_per_s),
                                    observe::number_text(point.output_tokens_per_s),
                                    ms(point.ttft_p50),
                                    ms(point.ttft_p99),
                                    ms(point.tpot_mean),
                                    ms(point.latency_mean),
                                    ms(point.latency_p50),
                                    ms(point.latency_p99),
                                    std::to_string(point.preemptions),
                                    sweep.knee == i ? "1" : "0"};
    if (point.energy) {
      row.push_back(observe::number_text(point.energy->per_output_token));
      row.push_back(observe::number_text(point.energy->watts));
    }
    text += files::csv_line(row);
  }
  return text;
}

}  // namespace kb::requests
