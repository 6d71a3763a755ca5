#include "sim/run/driver/run_record.h"

#include <cctype>
#include <cmath>
#include <cstdlib>

#include "platform/base/names.h"
#include "platform/base/version.h"
#include "platform/contract/completion.h"
#include "platform/contract/time_shares.h"
#include "platform/observe/json_writer.h"
#include "sim/analysis/findings/limiter.h"

namespace kb::sim {
namespace {

using observe::json_string;
using observe::JsonWriter;

// JSON's own number grammar: no leading zeros, plus signs, hexadecimal or bare points. What is beyond a double is text.
bool is_json_number(const std::string& s) {
  std::size_t i = 0;
  const auto digits = [&] {
    const std::size_t first = i;
    while (i < s.size() && std::isdigit(static_cast<unsigned char>(s[i])) != 0) ++i;
    return i - first;
  };
  if (i < s.size() && s[i] == '-') ++i;
  const std::size_t first = i;
  const std::size_t whole = digits();
  if (whole == 0 || (whole > 1 && s[first] == '0')) return false;
  if (i < s.size() && s[i] == '.') {
    ++i;
    if (digits() == 0) return false;
  }
  if (i < s.size() && (s[i] == 'e' || s[i] == 'E')) {
    ++i;
    if (i < s.size() && (s[i] == '+' || s[i] == '-')) ++i;
    if (digits() == 0) return false;
  }
  return i == s.size() && std::isfinite(std::strtod(s.c_str(), nullptr));
}

template <typename Entries>
void write_config(JsonWriter& json, const Entries& entries) {
  json.begin_object();
  for (const auto& [key, entry] : entries) {
    json.key(key).begin_object(true);
    json.key("value").raw(json_scalar(entry.value));
    json.key("origin").text(entry.origin).end_object();
  }
  json.end_object();
}

void write_setup(JsonWriter& json, const RunRecord& run) {
  json.key("schema").integer(kResultSchema).key("version").text(kVersion);
  json.key("topology").begin_object().key("file").text(run.topology_file);
  json.key("sha256").text(run.topology_sha256).end_object();
  json.key("settings").begin_array();
  for (const SettingRecord& setting : run.settings) {
    json.begin_object(true).key("key").text(setting.key);
    json.key("value").raw(json_scalar(setting.entry.value)).key("origin").text(setting.entry.origin);
    json.key("reference");
    setting.reference ? json.raw(json_scalar(*setting.reference)) : json.null();
    json.end_object();
  }
  json.end_array();
  json.key("config");
  write_config(json, run.config);
  json.key("bench").begin_object().key("name").text(run.workload).key("params");
  write_config(json, run.params);
  json.end_object();
}

void write_pe(JsonWriter& json, const contract::PeResult& pe) {
  json.begin_object(true);
  json.key("cube").unsigned_integer(pe.pe.cube.value).key("pe").unsigned_integer(pe.pe.pe.value);
  json.key("start_ns").time_ns(pe.start).key("exec_ns").time_ns(pe.exec);
  json.key("dma_ns").time_ns(pe.dma).key("compute_ns").time_ns(pe.compute);
  json.key("late_ns").time_ns(pe.late).end_object();
}

// A launch that never completed has null times (no progress).
JsonWriter& write_time(JsonWriter& json, TimeFs fs) {
  return fs == kNever ? json.null() : json.time_ns(fs);
}

void write_error(JsonWriter& json, const std::string& code, const std::string& message) {
  if (code.empty()) {
    json.null();
  } else {
    json.begin_object().key("code").text(code).key("message").text(message).end_object();
  }
}

// Parts of submission to completion as the PE that ended last saw them; they add up to it exactly.
void write_breakdown(JsonWriter& json, const LaunchRecord& launch) {
  const LaunchRecord::LastPe* const pe = launch.last_pe();
  if (pe == nullptr) {
    json.null();
    return;
  }
  json.begin_object(true);
  json.key("pe").text(pe_name(pe->pe));
  json.key("delivery_ns").time_ns(pe->ready - launch.submitted).key("barrier_ns").time_ns(pe->start - pe->ready);
  for (std::size_t i = 0; i < contract::kTimeShares; ++i) {
    json.key(std::string(time_share_name(static_cast<contract::TimeShare>(i))) + "_ns").time_ns(pe->shares.time[i]);
  }
  json.key("completion_ns").time_ns(launch.completed - pe->start - pe->exec);
  json.key("busy").begin_object(true);
  for (std::size_t i = 0; i < contract::kPeResources; ++i) {
    json.key(std::string(pe_resource_name(static_cast<contract::PeResource>(i))) + "_ns").time_ns(pe->shares.busy[i]);
  }
  json.end_object();
  const std::optional<Limiter> limiter = limiter_of(launch);
  json.key("limiter");
  limiter ? json.text(limiter->name) : json.null();
  json.key("limiter_text");
  limiter ? json.text(limiter->text(pe->exec)) : json.null();
  json.end_object();
}

void write_uses(JsonWriter& json, const std::vector<ResourceName>& names, const std::vector<ResourceUse>& uses) {
  json.begin_object();
  const std::string* block = nullptr;
  for (const ResourceUse& use : uses) {
    const ResourceName& name = names[use.resource];
    if (block == nullptr || *block != name.block) {
      if (block != nullptr) json.end_object();
      block = &name.block;
      json.key(*block).begin_object();
    }
    json.key(name.resource).begin_object(true).key("busy_ns").time_ns(use.busy).key("wait_ns").time_ns(use.wait);
    json.key("bytes").unsigned_integer(use.bytes).end_object();
  }
  if (block != nullptr) json.end_object();
  json.end_object();
}

void write_launch(JsonWriter& json, const LaunchRecord& launch, const std::vector<ResourceName>& resources) {
  json.begin_object();
  json.key("id").unsigned_integer(launch.id).key("kernel").text(launch.kernel).key("label").text(launch.label);
  json.key("sip").unsigned_integer(launch.sip.value).key("ok").boolean(launch.ok).key("error");
  write_error(json, launch.error_code, launch.error_message);
  json.key("submit_ns").time_ns(launch.submitted).key("start_ns");
  write_time(json, launch.start).key("completed_ns");
  write_time(json, launch.completed).key("pe_exec_ns").begin_object(true);
  json.key("min").time_ns(launch.summary.exec_min).key("max").time_ns(launch.summary.exec_max).end_object();
  json.key("dma_ns").time_ns(launch.summary.dma_max).key("compute_ns").time_ns(launch.summary.compute_max);
  json.key("macs").integer(launch.summary.macs).key("useful_macs").integer(launch.summary.useful_macs);
  json.key("late_pes").unsigned_integer(launch.summary.late_pes).key("max_late_ns").time_ns(launch.summary.late_max);
  json.key("breakdown");
  write_breakdown(json, launch);
  json.key("per_pe").begin_array();
  for (const contract::PeResult& pe : launch.pes) write_pe(json, pe);
  json.end_array().key("blocks");
  write_uses(json, resources, launch.uses);
  json.end_object();
}

// NaNs and infinities as texts, so that they can be told apart.
void write_element(JsonWriter& json, double value) {
  if (std::isfinite(value)) {
    json.real(value);
  } else {
    json.text(std::isnan(value) ? "nan" : value > 0 ? "inf" : "-inf");
  }
}

void write_place(JsonWriter& json, const Shape& shape, std::uint64_t index) {
  json.begin_array(true);
  for (const std::int64_t at : data::place_in(shape, index)) json.integer(at);
  json.end_array();
}

void write_first_wrong(JsonWriter& json, const data::VerificationRow& row) {
  json.key("wrong_elements").unsigned_integer(row.failures);
  json.key("first_wrong").begin_object(true).key("index");
  write_place(json, row.shape, row.first_failure);
  json.key("expected");
  write_element(json, row.first_expected);
  json.key("actual");
  write_element(json, row.first_actual);
  json.end_object();
}

void write_first_unverified(JsonWriter& json, const data::VerificationRow& row) {
  json.key("unverified_elements").unsigned_integer(row.unverified).key("first_unverified");
  write_place(json, row.shape, row.first_unverified);
}

void write_races(JsonWriter& json, const RunRecord& run) {
  if (!run.races) return;
  json.key("races").begin_array();
  for (const check::Race& race : *run.races) {
    json.begin_object().key("text").text(race.text).key("pairs").unsigned_integer(race.pairs).end_object();
  }
  json.end_array();
  json.key("races_not_compared").unsigned_integer(run.races_not_compared);
}

void write_verification(JsonWriter& json, const data::VerificationRow& row) {
  json.begin_object();
  json.key("tensor").text(row.tensor).key("dtype").text(dtype_name(row.dtype)).key("shape").begin_array(true);
  for (const std::int64_t size : row.shape) json.integer(size);
  json.end_array();
  json.key("max_abs").real(row.max_abs).key("max_rel").real(row.max_rel).key("tolerance").real(row.tolerance);
  json.key("max_of_bound").real(row.max_of_bound).key("non_finite").unsigned_integer(row.non_finite);
  json.key("rule").text(row.equal ? "equal" : "bound").key("bound").text(row.bound);
  json.key("roundings").begin_array(true);
  for (const std::string& rounding : row.roundings) json.text(rounding);
  json.end_array();
  if (row.failures > 0) write_first_wrong(json, row);
  if (row.unverified > 0) write_first_unverified(json, row);
  json.key("status").text(data::name_of(row.status())).key("ok").boolean(row.ok).end_object();
}

void write_figures(JsonWriter& json, const RunRecord& run) {
  json.key("figures").begin_array();
  for (const FigureRecord& figure : run.figures) {
    json.begin_object(true).key("name").text(figure.name).key("value").real(figure.value);
    json.key("unit").text(figure.unit).end_object();
  }
  json.end_array();
}

// Only in runs that have any.
void write_collectives(JsonWriter& json, const RunRecord& run) {
  if (run.collectives.empty()) return;
  json.key("collectives").begin_array();
  for (const CollectiveRecord& one : run.collectives) {
    json.begin_object().key("call").text(one.call).key("algorithm").text(one.algorithm);
    json.key("tile_bytes").unsigned_integer(one.tile_bytes).key("ranks").integer(one.ranks);
    json.key("estimates").begin_array();
    for (const CollectiveRecord::Estimate& estimate : one.estimates) {
      json.begin_object(true).key("algorithm").text(estimate.algorithm).key("ns").real(estimate.ns);
      json.key("chunk_elements").integer(estimate.chunk_elements).key("root");
      estimate.root < 0 ? json.null() : json.integer(estimate.root);
      json.end_object();
    }
    json.end_array().end_object();
  }
  json.end_array();
}

void write_link(JsonWriter& json, const ChainLink& link) {
  json.begin_object(true).key("pe").text(pe_name(link.pe)).key("waited_for").text(pe_name(link.sender));
  json.key("awaited_ns").time_ns(link.awaited).key("sent_ns").time_ns(link.sent);
  json.key("arrived_ns").time_ns(link.arrived).key("received_ns").time_ns(link.received).end_object();
}

void write_findings(JsonWriter& json, const RunRecord& run) {
  json.key("findings").begin_array();
  for (const Finding& finding : run.findings) {
    json.begin_object().key("rule").text(finding.rule).key("launch");
    finding.launch == 0 ? json.null() : json.unsigned_integer(finding.launch);
    json.key("gain_ns").time_ns(finding.gain).key("of_ns").time_ns(finding.of);
    json.key("factor").real(finding.factor()).key("headline").text(finding.headline).key("evidence").begin_array();
    for (const std::string& sentence : finding.evidence) json.text(sentence);
    json.end_array().key("remedy").text(finding.remedy).key("chain").begin_array();
    for (const ChainLink& link : finding.chain) write_link(json, link);
    json.end_array().end_object();
  }
  json.end_array();
}

void write_operations(JsonWriter& json, const RunRecord& run) {
  json.key("operations").begin_array();
  for (const OperationCost& one : run.operations) {
    json.begin_object(true).key("name").text(one.name).key("count").unsigned_integer(one.count);
    json.key("time_ns").time_ns(one.time).key("waiting_ns");
    one.waiting ? json.time_ns(*one.waiting) : json.null();
    json.key("longest").begin_object(true).key("pe").text(pe_name(one.longest_at));
    json.key("start_ns").time_ns(one.longest_start).key("time_ns").time_ns(one.longest).end_object().end_object();
  }
  json.end_array();
}

void write_texts(JsonWriter& json, const char* key, const std::vector<std::string>& texts) {
  json.key(key).begin_array();
  for (const std::string& text : texts) json.text(text);
  json.end_array();
}

void write_blocks(JsonWriter& json, const RunRecord& run) {
  json.begin_object();
  for (const auto& [node, statistics] : run.blocks) {
    json.key(node).begin_object();
    for (const StatisticRecord& statistic : statistics) {
      json.key(statistic.name).begin_object(true).key("value");
      statistic.unit == "ns" ? json.time_ns(TimeFs(statistic.value)) : json.integer(statistic.value);
      json.key("unit").text(statistic.unit).end_object();
    }
    json.end_object();
  }
  json.end_object();
}

}  // namespace

std::string unknown_accesses_text(const UnknownAccesses& unknown) {
  if (unknown.count == 0) return "";
  return std::to_string(unknown.count) +
         (unknown.count == 1 ? " access has indices or a mask" : " accesses have indices or masks") +
         " that data mode off does not know (the first: " + unknown.first + " at " + unknown.at +
         "): their rows are assumed, so that times may differ from those of a run with data; --data replay has the "
         "real "
         "ones";
}

void drop_details(RunRecord& run) {
  run.blocks.clear();
  run.resources.clear();
  for (LaunchRecord& launch : run.launches) {
    launch.pes.clear();
    launch.uses.clear();
  }
}

std::vector<SettingRecord> differing_settings(const std::map<std::string, ConfigEntry>& config,
                                              const std::map<std::string, ConfigEntry>& reference) {
  std::vector<SettingRecord> settings;
  for (const bool overrides : {true, false}) {
    for (const auto& [key, entry] : config) {
      const auto normal = reference.find(key);
      const bool same = normal != reference.end() && normal->second.value == entry.value;
      if ((entry.origin == "--set") != overrides || (same && !overrides)) continue;
      settings.push_back({key, entry, std::nullopt});
      if (normal != reference.end()) settings.back().reference = normal->second.value;
    }
  }
  return settings;
}

std::string json_scalar(const std::string& text) {
  return text == "true" || text == "false" || is_json_number(text) ? text : json_string(text);
}

std::string render_config_json(const RunRecord& run) {
  JsonWriter json;
  json.begin_object();
  write_setup(json, run);
  json.end_object();
  return json.str() + '\n';
}

std::string render_result(const RunRecord& run) {
  std::string text;
  render_result(run, [&text](std::string_view piece) { text += piece; });
  return text;
}

void render_result(const RunRecord& run, const observe::TextSink& sink) {
  JsonWriter json(sink);
  json.begin_object();
  write_setup(json, run);
  json.key("device").text(run.device).key("seed").unsigned_integer(run.seed).key("data_mode").text(run.data_mode);
  json.key("ok").boolean(run.ok).key("error");
  write_error(json, run.error_code, run.error_message);
  json.key("sim_time_ns").time_ns(run.sim_time);
  json.key("unknown_accesses").unsigned_integer(run.unknown_accesses);
  json.key("launches").begin_array();
  for (const LaunchRecord& launch : run.launches) write_launch(json, launch, run.resources);
  json.end_array();
  json.key("blocks");
  write_blocks(json, run);
  json.key("verification").begin_array();
  for (const data::VerificationRow& row : run.verification) write_verification(json, row);
  json.end_array();
  write_races(json, run);
  write_figures(json, run);
  write_collectives(json, run);
  write_findings(json, run);
  write_operations(json, run);
  write_texts(json, "notes", run.notes);
  write_texts(json, "warnings", run.warnings);
  json.key("host").begin_object().key("wall_s").real(run.host.wall_s).key("cpu_s").real(run.host.cpu_s);
  json.key("rss_mb").real(run.host.rss_mb).key("events").unsigned_integer(run.host.events).end_object();
  json.end_object().finish();
}

}  // namespace kb::sim
