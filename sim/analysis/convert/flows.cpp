#include "sim/analysis/convert/flows.h"

#include <algorithm>
#include <charconv>
#include <string>

#include "platform/engine/engine_catalog.h"

namespace kb::convert {
namespace {

// Returns the number after `"name":` in parameters of the operation log, decimal or as a hexadecimal string; 0 when
// there is none.
std::uint64_t number_of(std::string_view params, std::string_view name) {
  constexpr std::string_view kHex = "\"0x";
  constexpr int kDecimalBase = 10, kHexBase = 16;
  const std::size_t at = params.find(name);
  if (at == std::string_view::npos) return 0;
  params.remove_prefix(at + name.size());
  const bool hex = params.substr(0, kHex.size()) == kHex;
  if (hex) params.remove_prefix(kHex.size());
  std::uint64_t value = 0;
  std::from_chars(params.data(), params.data() + params.size(), value, hex ? kHexBase : kDecimalBase);
  return value;
}

// True for operations of an engine whose rate counts multiply-accumulates.
bool is_product(std::string_view kind) {
  const engine::EngineCatalog& engines = *engine::built_in_engines();
  return std::any_of(engines.ids().begin(), engines.ids().end(), [&](engine::EngineId id) {
    return engines.row(id).name == kind && engines.row(id).roof.unit == "MAC";
  });
}

}  // namespace

Flows::Flows(data::OpLogDatabase& operations) : has_end_(static_cast<std::size_t>(operations.end_seq())) {
  std::map<Role, std::vector<std::int64_t>> found;
  for (const auto& operation : operations.names().operations) {
    Role role = Role::none;
    if (operation.name == "ipcq_send") role = Role::send;
    if (operation.name == "ipcq_copy") role = Role::copy;
    if (operation.name == "ipcq_recv") role = Role::receive;
    if (operation.name == "dma_read") role = Role::load;
    if (is_product(operation.kind) && operation.name.rfind(operation.kind, 0) == 0) role = Role::product;
    if (role != Role::none) found[role].push_back(operation.id);
  }
  const auto join = [&](std::initializer_list<Role> roles) {
    for (const Role role : roles) {
      for (const std::int64_t kind : found[role]) {
        kinds_.push_back(kind);
        roles_[kind] = role;
      }
    }
  };
  if (!found[Role::send].empty() && !found[Role::copy].empty()) join({Role::send, Role::copy, Role::receive});
  if (!found[Role::load].empty() && !found[Role::product].empty()) join({Role::load, Role::product});
  if (kinds_.empty()) return;
  operations.scan_in_time(kinds_, [&](const data::OpRow& op, std::string_view params) {
    begin(op, params);
    return true;
  });
  sent_.clear();
  copied_.clear();
  loaded_.clear();
}

Flows::Begin Flows::begin(const data::OpRow& op, std::string_view params) {
  Begin begin;
  const auto found = roles_.find(op.operation);
  if (found == roles_.end() || op.seq < 0) return begin;
  const std::uint64_t own = static_cast<std::uint64_t>(op.seq) + 1;
  const auto key = [&](std::string_view address) {
    return Key(number_of(params, address), number_of(params, R"("sequence":)"));
  };
  constexpr std::string_view kSource = R"("src_addr":)", kDestination = R"("dst_addr":)";
  switch (found->second) {
    case Role::send:
      if (has_end_[own - 1]) begin.passes = own;
      sent_.emplace(key(kDestination), own);
      break;
    case Role::copy:
      begin.passes = take(sent_, key(kSource));
      if (begin.passes == 0) break;
      mark(begin.passes);
      copied_.emplace(key(kDestination), begin.passes);
      break;
    case Role::receive:
      begin.awaits = key(kSource);
      break;
    case Role::load:
      if (has_end_[own - 1]) begin.passes = own;
      loaded_[number_of(params, kDestination)] = own;
      break;
    case Role::product: {
      std::size_t count = 0;
      for (const std::string_view operand : {R"("src_a_addr":)", R"("src_b_addr":)"}) {
        const auto loaded = loaded_.find(number_of(params, operand));
        if (loaded == loaded_.end()) continue;
        mark(loaded->second);
        begin.arrives[count++] = loaded->second;
        loaded_.erase(loaded);
      }
      break;
    }
    case Role::none:
      break;
  }
  return begin;
}

std::uint64_t Flows::end(const Key& awaited) {
  return take(copied_, awaited);
}

std::uint64_t Flows::take(Open& open, const Key& key) {
  const auto first = open.lower_bound(key);
  if (first == open.end() || first->first != key) return 0;
  const std::uint64_t flow = first->second;
  open.erase(first);
  return flow;
}

}  // namespace kb::convert
