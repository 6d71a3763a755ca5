#include "platform/observe/json_writer.h"
#include "sim/study/step/step_report.h"

namespace kb::step {
namespace {

using observe::JsonWriter;

// Members of an object, as in result.json.
void write_energy(JsonWriter& json, const energy::Energy& energy) {
  json.key("fj").unsigned_integer(energy.value).key("low_fj").unsigned_integer(energy.low);
  json.key("high_fj").unsigned_integer(energy.high);
}

void write_energy_of_step(JsonWriter& json, const StepReport& report) {
  const StepEnergy& energy = *report.energy;
  const auto per = [&](const char* key, double count) {
    if (count > 0) json.key(key).real(observe::tidy(static_cast<double>(energy.total.value) / 1e3 / count));
  };
  json.key("energy").begin_object();
  json.key("defaults").text(energy.defaults);
  write_energy(json, energy.total);
  json.key("power_w").real(observe::tidy(sim::watts(energy.total.value, report.step())));
  json.key("fj_per_token")
      .unsigned_integer(energy.total.value / static_cast<std::uint64_t>(report.model.batch.tokens()));
  per("pj_per_flop", report.flop());
  per("pj_per_byte", static_cast<double>(energy.memory_bytes));
  json.key("parts").begin_array();
  for (const sim::EnergyPart& part : energy.parts) {
    json.begin_object(true).key("name").text(part.name).key("label").text(part.label);
    write_energy(json, part.energy);
    json.end_object();
  }
  json.end_array();
  write_energy(json.key("nobodys").begin_object(true), energy.nobodys);
  json.end_object();
  json.key("not_counted").begin_array();
  for (const std::string& phrase : energy.not_counted) json.text(phrase);
  json.end_array().end_object();
}

void write_row(JsonWriter& json, const StepReport& report, std::size_t number) {
  const StepRow& row = report.rows[number];
  json.begin_object();
  json.key("op").text(row.name).key("kernel").text(row.kernel).key("count").integer(row.count);
  json.key("ns").time_ns(row.all).key("least_ns").time_ns(row.least);
  json.key("most_ns").time_ns(row.most).key("share").real(observe::tidy(fs_to_ns(row.all) / fs_to_ns(report.step())));
  json.key("roofline_ns").time_ns(row.roof_all);
  json.key("limiter").text(row.roof_all == 0_fs ? "" : std::string(model::limit_name(row.roof.limit())));
  json.key("flop").real(row.work.flop()).key("weight_bytes").unsigned_integer(row.work.weight_bytes);
  json.key("memory_bytes")
      .unsigned_integer(row.work.memory_bytes())
      .key("link_bytes")
      .unsigned_integer(row.work.link_bytes);
  if (report.energy) {
    write_energy(json.key("energy").begin_object(true), report.energy->rows[number]);
    json.end_object();
  }
  json.key("each_fs").begin_array(true);
  for (const TimeFs time : row.each) json.integer(time.fs());
  json.end_array();
  json.end_object();
}

void write_memory(JsonWriter& json, const StepReport& report) {
  const model::MemoryPlan& memory = report.model.memory.front();
  json.key("memory").begin_object();
  json.key("weight_bytes").unsigned_integer(memory.weight_bytes);
  json.key("cache_bytes").unsigned_integer(memory.cache_bytes);
  json.key("taken_bytes")
      .unsigned_integer(report.program.slice_bytes * static_cast<std::uint64_t>(memory.geometry.pes));
  json.key("there_bytes").unsigned_integer(memory.there());
  json.key("address_classes").integer(report.program.classes);
  json.end_object();
}

}  // namespace

std::string render_step_json(const StepReport& report) {
  const model::ModelReport& model = report.model;
  const bool decode = model.batch.phase == model::Phase::decode;
  JsonWriter json;
  json.begin_object().key("schema").integer(1);
  json.key("model").text(model.spec.name()).key("machine").text(model.machine);
  json.key("dtype").text(dtype_name(model.dtype)).key("phase").text(decode ? "decode" : "prefill");
  json.key("batch").text(model.batch.text()).key("tokens").integer(model.batch.tokens());
  json.key("tp").integer(model.plan.tp).key("dp").integer(model.plan.dp);
  json.key(decode ? "tpot_ns" : "ttft_ns").time_ns(report.step());
  json.key("device_ns").time_ns(report.times.span()).key("gaps_ns").time_ns(report.gaps);
  json.key("gap_ns").time_ns(report.times.gap).key("host_ns").time_ns(report.times.host);
  json.key("tokens_per_s").real(observe::tidy(report.tokens_per_second()));
  json.key("roofline_ns").time_ns(report.roof);
  json.key("roofline_share").real(observe::tidy(fs_to_ns(report.roof) / fs_to_ns(report.step())));
  json.key("by_op").begin_array();
  for (std::size_t i = 0; i < report.rows.size(); ++i) write_row(json, report, i);
  json.end_array();
  if (report.energy) write_energy_of_step(json, report);
  write_memory(json, report);
  json.key("config").begin_object();
  for (const auto& [key, value] : report.config) json.key(key).text(value);
  json.end_object();
  json.key("memo").begin_object(true);
  json.key("simulated").unsigned_integer(report.times.simulated);
  json.key("known").unsigned_integer(report.times.looked_up);
  json.key("checked").unsigned_integer(report.times.checked).end_object();
  if (report.sample) {
    json.key("sample").begin_object(true);
    json.key("layers").unsigned_integer(report.sample->layers);
    json.key("of_layers").unsigned_integer(report.sample->of_layers);
    json.key("layer_least_ns").time_ns(report.sample->least).key("layer_mean_ns").time_ns(report.sample->mean);
    json.key("layer_most_ns").time_ns(report.sample->most).end_object();
  }
  json.key("exact").boolean(report.approximations.empty());
  json.key("approximations").begin_array();
  for (const std::string& text : report.approximations) json.text(text);
  json.end_array();
  json.end_object();
  return json.str() + '\n';
}

}  // namespace kb::step
