#include "sim/analysis/recorded/step_file.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "platform/base/error.h"
#include "sim/analysis/recorded/document.h"
#include "sim/study/files/json_file.h"

namespace kb::analysis {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kSchema = 1;

void check_rows(const Document& document) {
  const std::size_t rows = document.need_list("/by_op");
  for (std::size_t i = 0; i < rows; ++i) {
    const std::string at = fmt::format("/by_op/{}", i);
    document.need_texts(at, {"/op", "/kernel", "/limiter"});
    document.need_numbers(at, {"/count", "/ns", "/least_ns", "/most_ns", "/share", "/roofline_ns", "/flop",
                               "/weight_bytes", "/memory_bytes", "/link_bytes"});
    document.need_number_list(at + "/each_fs");
  }
}

}  // namespace

bool StepFile::is_one(const Json& document) {
  return document.is_object() && document.contains("by_op");
}

std::string StepFile::json() const {
  const Json step = files::read_json(file_, files::kMaxDataBytes);
  const Document document(file_, "kernbench model step --out", step);
  document.need_numbers("", {"/schema"});
  if (step["schema"] != kSchema) {
    throw Error::configuration(
        fmt::format("{}: it has schema version {}, and this program reads {}; use the kernbench "
                    "that wrote it",
                    file_, step["schema"].dump(), kSchema));
  }
  document.need_texts("", {"/model", "/machine", "/dtype", "/phase", "/batch"});
  document.need_numbers("", {"/tokens", "/tp", "/dp", step["phase"] == "decode" ? "/tpot_ns" : "/ttft_ns", "/gaps_ns",
                             "/host_ns", "/tokens_per_s", "/roofline_ns", "/roofline_share"});
  check_rows(document);
  document.need_numbers("/memory", {"/weight_bytes", "/cache_bytes", "/taken_bytes", "/there_bytes"});
  document.need_numbers("/memo", {"/simulated", "/known"});
  if (step.contains("sample")) {
    document.need_numbers("/sample", {"/layers", "/of_layers", "/layer_least_ns", "/layer_mean_ns", "/layer_most_ns"});
  }
  document.need_text_list("/approximations");
  return step.dump();
}

}  // namespace kb::analysis
