#include "sim/html/case.h"

#include <cmath>

#include "platform/base/names.h"
#include "platform/base/units.h"
#include "platform/base/whole_number.h"
#include "sim/analysis/recorded/track.h"

namespace kb::html {
namespace {

std::int64_t fs_of(const Json& launch, const char* name) {
  std::int64_t fs = -1;
  return parse_whole(text_of(launch, name), fs) == std::errc() && fs < analysis::Track::kTimeLimit ? fs : -1;
}

LaunchView view_of(const Json& launch) {
  LaunchView view;
  view.json = &launch;
  view.under = "sip" + plain(member(launch, "sip"));
  view.name = "#" + plain(member(launch, "id")) + " " +
              launch_name(text_of(launch, "kernel"), text_of(launch, "label")) + ", " + view.under;
  view.whole = {fs_of(launch, "submit_fs"), fs_of(launch, "completed_fs")};
  if (view.whole.begin_fs < 0 || view.whole.empty()) return {};
  view.total_ns = view.whole.span() / static_cast<double>(kFsPerNs);
  const std::int64_t start = fs_of(launch, "start_fs");
  const double exec_ns = number_of(member(launch, "pe_exec_ns"), "max");
  if (start >= 0 && exec_ns > 0 && exec_ns <= view.total_ns) {
    view.kernel = {start, start + std::llround(exec_ns * static_cast<double>(kFsPerNs))};
  }
  return view;
}

}  // namespace

const Json& member(const Json& object, const char* name) {
  static const Json kNothing;
  if (!object.is_object()) return kNothing;
  const auto found = object.find(name);
  return found == object.end() ? kNothing : *found;
}

std::string text_of(const Json& object, const char* name) {
  const Json& found = member(object, name);
  return found.is_string() ? found.get<std::string>() : "";
}

double number_of(const Json& object, const char* name) {
  const Json& found = member(object, name);
  return found.is_number() ? found.get<double>() : 0;
}

const Json& list_of(const Json& object, const char* name) {
  static const Json kNone = Json::array();
  const Json& found = member(object, name);
  return found.is_array() ? found : kNone;
}

std::string plain(const Json& value) {
  if (value.is_string()) return value.get<std::string>();
  return value.is_null() ? "" : value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

const std::vector<Part>& parts() {
  static const std::vector<Part> kParts = {
      {"delivery", "delivery", "#9aa3b2", "the launch travels from the host to the PE"},
      {"barrier", "barrier", "#c3c9d4", "the PE waits for the common start"},
      {"gemm", "GEMM", "#d9822b", "PE_GEMM computes"},
      {"math", "MATH", "#e8b878", "PE_MATH computes, PE_GEMM does not"},
      {"queue_full", "queue full", "#b5493b", "nothing computes: a result finds no room in the next block"},
      {"tlb", "translation", "#9a8a2a", "nothing computes: an access waits for its translation"},
      {"channel_busy", "DMA channel busy", "#1f5f9a", "nothing computes: transfers wait for a DMA channel"},
      {"tcm", "TCM", "#35a7a0", "nothing computes: FETCH or STORE moves data of the scratchpad"},
      {"dma", "exposed DMA", "#5aa3dc", "nothing computes: a transfer is under way and none waits"},
      {"scalar", "scalar", "#7a5cc0", "the CPU of the PE works"},
      {"dependency", "other PEs", "#c2559b", "the kernel waits for other PEs: a message, a free slot, a credit"},
      {"completion", "completion", "#6b7385", "from the end of the kernel to the completion at the host"}};
  return kParts;
}

Case::Case(const analysis::RunFolder& folder) : run(folder), summary(Json::parse(folder.summary())) {
  for (const Json& launch : summary["launches"]) {
    LaunchView view = view_of(launch);
    if (view.json != nullptr) launches.push_back(std::move(view));
  }
  for (const LaunchView& launch : launches) {
    if (longest == nullptr || launch.total_ns > longest->total_ns) longest = &launch;
  }
  if (longest != nullptr && !longest->kernel.empty() && run.has_operations() && !run.activity().empty()) {
    uses = run.activity().uses(longest->kernel.begin_fs, longest->kernel.end_fs);
  }
}

}  // namespace kb::html
