#include <algorithm>

#include "platform/model/report.h"
#include "platform/observe/json_writer.h"

namespace kb::model {
namespace {

using observe::JsonWriter;

void write_model(JsonWriter& json, const ModelReport& report) {
  const ModelSpec& spec = report.spec;
  json.key("model").begin_object();
  json.key("name").text(spec.name()).key("family").text(spec.family).key("file").text(spec.file);
  json.key("layers").integer(spec.layer_count()).key("hidden").integer(spec.hidden);
  json.key("heads").integer(spec.heads).key("kv_heads").integer(spec.kv_heads).key("head_dim").integer(spec.head_dim);
  json.key("mlp_width").integer(spec.mlp_width).key("vocabulary").integer(spec.vocabulary);
  json.key("tied").boolean(spec.tied).key("dtype").text(dtype_name(report.dtype));
  json.key("weights_dtype").text(dtype_name(spec.scales ? spec.scales->dtype : report.dtype));
  json.key("windows").begin_array(true);
  for (const LayerSpec& layer : spec.layers) json.integer(layer.window);
  json.end_array();
  if (spec.moe) {
    json.key("experts").integer(spec.moe->experts).key("experts_per_token").integer(spec.moe->top_k);
    json.key("expert_width").integer(spec.moe->width).key("shared_width").integer(spec.moe->shared_width);
    json.key("moe_layers").begin_array(true);
    for (std::size_t layer = 0; layer < spec.layers.size(); ++layer) {
      if (spec.layers[layer].moe) json.unsigned_integer(layer);
    }
    json.end_array();
  }
  json.key("parameters").integer(report.parameters.all).key("active_parameters").integer(report.parameters.active);
  json.key("weight_bytes").unsigned_integer(report.weight_bytes());
  json.key("cache_bytes_per_token").unsigned_integer(cache_bytes_per_token(spec, report.dtype));
  json.end_object();
}

void write_plan(JsonWriter& json, const ModelReport& report) {
  const ParallelPlan& plan = report.plan;
  json.key("plan").begin_object(true);
  json.key("tp").integer(plan.tp).key("pp").integer(plan.pp).key("ep").integer(plan.ep).key("dp").integer(plan.dp);
  json.key("sips").integer(plan.sips()).end_object();
  json.key("batch").begin_object();
  json.key("phase").text(report.batch.phase == Phase::decode ? "decode" : "prefill");
  json.key("tokens").integer(report.batch.tokens()).key("sequences").begin_array();
  for (const Sequences& one : report.batch.sequences) {
    json.begin_object(true).key("count").integer(one.count).key("past").integer(one.past);
    json.key("tokens").integer(one.tokens).end_object();
  }
  json.end_array().end_object();
}

void write_machine(JsonWriter& json, const ModelReport& report) {
  const SipRoofs& roofs = report.roofs;
  json.key("machine").begin_object();
  json.key("file").text(report.machine).key("sips").integer(report.machine_sips);
  json.key("pes_per_sip").integer(roofs.pes).key("hbm_bytes_per_sip").unsigned_integer(roofs.hbm_bytes);
  json.key("hbm_gbs").real(roofs.hbm.gbs()).key("link_gbs").real(roofs.link.gbs());
  json.key("macs_per_ns").real(roofs.macs.per_ns()).key("elements_per_ns").real(roofs.elements.per_ns());
  json.key("routing").text("balanced").end_object();
}

void write_stages(JsonWriter& json, const ModelReport& report) {
  json.key("stages").begin_array();
  for (std::size_t i = 0; i < report.memory.size(); ++i) {
    const MemoryPlan& memory = report.memory[i];
    const LayerRange& layers = report.stages[i].layers;
    json.begin_object().key("stage").unsigned_integer(i);
    json.key("layers").begin_array(true).integer(layers.begin).integer(layers.end - 1).end_array();
    json.key("weight_bytes").unsigned_integer(memory.weight_bytes);
    json.key("cache_bytes").unsigned_integer(memory.cache_bytes);
    json.key("cache_bytes_per_token")
        .unsigned_integer(cache_bytes_per_token(report.spec, report.plan, report.dtype, layers));
    json.key("activation_bytes").unsigned_integer(memory.activation_bytes);
    json.key("taken_bytes").unsigned_integer(memory.taken());
    json.key("hbm_bytes").unsigned_integer(memory.there());
    json.key("address_classes").integer(memory.classes).key("fits").boolean(memory.fits());
    json.key("roofline_ns").time_ns(report.stage_times[i].all).end_object();
  }
  json.end_array();
}

void write_tensors(JsonWriter& json, const char* key, const Graph& graph, const std::vector<std::size_t>& list) {
  json.key(key).begin_array();
  for (const std::size_t index : list) {
    const GraphTensor& tensor = graph.tensors[index];
    json.begin_object(true).key("name").text(tensor.name).key("kind").text(tensor_kind_name(tensor.kind));
    json.key("shape").begin_array(true);
    for (const std::int64_t extent : tensor.shape) json.integer(extent);
    json.end_array().key("dtype").text(dtype_name(tensor.dtype)).key("cut").text(tensor.cut);
    json.key("bytes").unsigned_integer(tensor.bytes).end_object();
  }
  json.end_array();
}

void write_group(JsonWriter& json, const ModelReport& report, const OpGroup& group) {
  const GraphOp& op = *group.first;
  const Graph& graph = report.stages[group.stage];
  json.begin_object().key("op").text(op.name).key("kind").text(op_kind_name(op.kind));
  json.key("stage").unsigned_integer(group.stage).key("layers").begin_array(true);
  for (const LayerRange& range : group.layers) {
    json.begin_array(true).integer(range.begin).integer(range.end - 1).end_array();
  }
  json.end_array().key("count").integer(group.count);
  json.key("numbers").begin_object(true);
  for (const auto& [name, number] : op.numbers) json.key(name).integer(number);
  json.end_object();
  const Work& work = group.each;
  json.key("flop").real(work.flop()).key("macs").real(work.macs).key("element_ops").real(work.element_ops);
  json.key("weight_bytes").unsigned_integer(work.weight_bytes);
  json.key("activation_bytes").unsigned_integer(work.activation_bytes);
  json.key("cache_bytes").unsigned_integer(work.cache_bytes).key("link_bytes").unsigned_integer(work.link_bytes);
  json.key("roofline_ns").time_ns(group.time.all()).key("limit").text(limit_name(group.time.limit()));
  json.key("memory_ns").time_ns(group.time.memory).key("compute_ns").time_ns(group.time.compute);
  json.key("link_ns").time_ns(group.time.link);
  write_tensors(json, "inputs", graph, op.inputs);
  write_tensors(json, "outputs", graph, op.outputs);
  write_tensors(json, "weights", graph, op.weights);
  json.end_object();
}

}  // namespace

std::string render_report_json(const ModelReport& report) {
  JsonWriter json;
  json.begin_object().key("schema").integer(1);
  write_model(json, report);
  write_plan(json, report);
  write_machine(json, report);
  write_stages(json, report);
  json.key("roofline_ns").time_ns(report.time.all).key("memory_ns").time_ns(report.time.memory);
  json.key("compute_ns").time_ns(report.time.compute).key("link_ns").time_ns(report.time.link);
  json.key("tokens_per_s").real(observe::tidy(report.tokens_per_second()));
  json.key("by_op").begin_array();
  for (const OpGroup& group : report.groups) write_group(json, report, group);
  json.end_array().end_object();
  return json.str() + '\n';
}

}  // namespace kb::model
