#include "platform/base/version.h"
#include "platform/observe/json_writer.h"
#include "sim/study/requests/summary.h"
#include "sim/study/requests/table_errors.h"

namespace kb::requests {
namespace {

using observe::JsonWriter;

void put_distribution(JsonWriter& json, const char* name, const serving::Distribution& values) {
  json.key(name).begin_object(true);
  json.key("mean").real(values.mean());
  for (const auto& [key, percent] : {std::pair("p50", 50.0), {"p90", 90.0}, {"p95", 95.0}, {"p99", 99.0}}) {
    json.key(key).real(values.percentile(percent));
  }
  json.key("most").integer(values.most()).end_object();
}

void put_setup(JsonWriter& json, const Summary& summary) {
  const serving::VllmLimits& limits = summary.setup.limits;
  json.key("program").text("kernbench").key("version").text(kVersion);
  json.key("trace").text(summary.trace).key("trace_format").text(summary.trace_format);
  json.key("profile");
  summary.simulated ? json.null() : json.text(summary.profile);
  json.key("model").text(summary.model).key("hardware").text(summary.hardware);
  json.key("tp").integer(summary.setup.ranks.tp).key("ep").integer(summary.setup.ranks.ep);
  json.key("policy").begin_object(true).key("name").text("vllm-v1");
  json.key("blocks").integer(limits.blocks).key("block_size").integer(limits.block_size);
  json.key("max_seqs").integer(limits.max_seqs).key("max_tokens").integer(limits.max_tokens);
  json.key("prefix_cache").boolean(limits.prefix_cache).end_object();
  json.key("requests").unsigned_integer(summary.requests).key("skipped").unsigned_integer(summary.skipped);
  json.key("trace_rate_per_s").real(summary.trace_rate).key("rate_per_s");
  if (summary.rate) {
    json.real(*summary.rate);
  } else {
    json.null();
  }
}

void put_run(JsonWriter& json, const Served& served) {
  const serving::Statistics& all = served.statistics;
  json.key("seconds").real(all.seconds());
  json.key("requests_per_s").real(all.requests_per_s());
  json.key("input_tokens_per_s").real(all.input_tokens_per_s());
  json.key("output_tokens_per_s").real(all.output_tokens_per_s());
  put_distribution(json, "ttft_ns", all.first_token);
  put_distribution(json, "tpot_ns", all.per_token);
  put_distribution(json, "itl_ns", all.gaps);
  put_distribution(json, "latency_ns", all.latency);
  put_distribution(json, "queuing_ns", all.queuing);
  json.key("steps").integer(all.steps).key("busy_ns").integer(all.busy_ns);
  json.key("input_tokens").integer(all.input_tokens).key("output_tokens").integer(all.output_tokens);
  json.key("computed_tokens").integer(all.computed_tokens);
  json.key("recomputed_tokens").integer(served.counts.recomputed_tokens);
  json.key("preemptions").integer(served.counts.preemptions);
  json.key("prefix_hit_tokens").integer(served.counts.hit_tokens);
  json.key("running").begin_object(true).key("mean").real(all.mean_running()).key("most");
  json.unsigned_integer(all.most_running).end_object();
  json.key("waiting_most").unsigned_integer(all.most_waiting);
  json.key("blocks_used").begin_object(true).key("mean").real(all.mean_used_blocks()).key("most");
  json.integer(all.most_used_blocks).end_object();
}

void put_sweep(JsonWriter& json, const RateSweep& sweep) {
  json.key("rates").begin_array();
  for (const RatePoint& point : sweep.points) {
    json.begin_object(true).key("rate_per_s").real(point.rate).key("requests_per_s").real(point.requests_per_s);
    json.key("output_tokens_per_s").real(point.output_tokens_per_s);
    json.key("ttft_p50_ns").real(point.ttft_p50).key("ttft_p99_ns").real(point.ttft_p99);
    json.key("tpot_mean_ns").real(point.tpot_mean).key("latency_mean_ns").real(point.latency_mean);
    json.key("latency_p50_ns").real(point.latency_p50).key("latency_p99_ns").real(point.latency_p99);
    json.key("preemptions").integer(point.preemptions);
    if (point.energy) {
      json.key("joules_per_output_token").real(observe::tidy(point.energy->per_output_token));
      json.key("joules").real(point.energy->total.value).key("watts").real(observe::tidy(point.energy->watts));
    }
    json.end_object();
  }
  json.end_array().key("knee_rate_per_s");
  if (sweep.knee) {
    json.real(sweep.points[*sweep.knee].rate);
  } else {
    json.null();
  }
}

void put_simulated(JsonWriter& json, const SimulatedTimes& times, const std::optional<ServedEnergy>& energy) {
  json.key("launches").begin_object();
  json.key("cells_simulated").unsigned_integer(times.simulated).key("cells_known").unsigned_integer(times.known);
  put_energy(json, times.energy, energy);
  put_table_errors(json, times.tables);
  json.key("check").begin_object();
  json.key("steps").begin_array();
  for (const StepCheck& one : times.checks) {
    json.begin_object(true).key("step").integer(one.number).key("tokens").integer(one.tokens);
    json.key("sequences").integer(one.sequences).key("ns").integer(one.ns).key("exact_ns").integer(one.exact_ns);
    json.key("error").real(observe::tidy(one.error()));
    if (one.joules && one.exact_joules) {
      json.key("joules").real(*one.joules).key("exact_joules").real(*one.exact_joules);
      json.key("joules_error").real(observe::tidy(one.joules_error()));
    }
    json.end_object();
  }
  json.end_array().key("mean_error").real(observe::tidy(times.mean_error()));
  if (const std::optional<double> error = times.mean_joules_error()) {
    json.key("mean_joules_error").real(observe::tidy(*error));
  }
  json.end_object().end_object();
}

void put_texts(JsonWriter& json, const char* name, const std::vector<std::string>& texts) {
  json.key(name).begin_array();
  for (const std::string& text : texts) json.text(text);
  json.end_array();
}

}  // namespace

std::string summary_json(const Summary& summary) {
  JsonWriter json;
  json.begin_object();
  put_setup(json, summary);
  if (summary.sweep != nullptr) {
    put_sweep(json, *summary.sweep);
  } else {
    put_run(json, *summary.served);
  }
  if (summary.simulated) put_simulated(json, *summary.simulated, summary.energy());
  put_texts(json, "warnings", summary.warnings);
  put_texts(json, "abstractions",
            summary.sweep != nullptr ? summary.sweep->abstractions : summary.served->abstractions);
  json.end_object();
  return json.str() + "\n";
}

}  // namespace kb::requests
