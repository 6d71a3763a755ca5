#include "sim/evaluate/validation/traffic.h"

#include <fmt/format.h>

#include <algorithm>

#include "platform/address/phys_addr.h"
#include "platform/base/error.h"
#include "sim/evaluate/evaluation.h"
#include "sim/evaluate/files.h"
#include "sim/evaluate/pe_dma/scenarios.h"

namespace kb::evaluate {

void Trace::add(std::uint64_t issue_ns, const char* op, const PeCoord& source, const PeCoord& target,
                std::uint64_t offset, std::uint64_t bytes) {
  const address::PhysAddr to = address::PhysAddr::pe_hbm_addr(target.sip, target.cube, target.pe, offset, slice_bytes_);
  text_ += fmt::format("{},{},{},{},0x{:x},{}\n", rows_++, issue_ns, op, pe_text(source), to.value(), bytes);
}

// Rows leave the document as soon as they are read: a long trace would take gigabytes.
std::vector<Transfer> read_transfers(const std::string& file) {
  constexpr int kRowDepth = 2;
  std::vector<Transfer> transfers;
  const auto take = [&](int depth, Json::parse_event_t event, Json& parsed) {
    if (depth != kRowDepth || event != Json::parse_event_t::object_end) return true;
    if (parsed.at("status") != "OK") throw Error::model("a transfer was answered " + parsed.at("status").dump());
    transfers.push_back({parsed.at("issue_ns"), parsed.at("delivered_ns"), parsed.at("completed_ns"),
                         parsed.at("bytes").get<std::uint64_t>()});
    return false;
  };
  [[maybe_unused]] const Json rest = Json::parse(read_file(file), take);
  return transfers;
}

PeCoord pe_at(std::uint64_t sip, std::uint64_t cube, std::uint64_t pe) {
  return {SipId(static_cast<std::uint32_t>(sip)), CubeId(static_cast<std::uint32_t>(cube)),
          PeId(static_cast<std::uint32_t>(pe))};
}

double last_delivered_ns(const std::vector<Transfer>& transfers) {
  double last = 0;
  for (const Transfer& transfer : transfers) last = std::max(last, transfer.delivered_ns);
  return last;
}

}  // namespace kb::evaluate
