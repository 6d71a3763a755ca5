#include "sim/analysis/recorded/engine_work.h"

#include <nlohmann/json.hpp>

#include "sim/analysis/recorded/op_names.h"

namespace kb::analysis {
namespace {

using Json = nlohmann::ordered_json;
using Operation = data::OpLogNames::Operation;

constexpr const char* kUsualDtype = "f16";

std::string dtype_of_products(const std::vector<Operation>& operations) {
  const std::string product = "gemm_";
  for (const Operation& operation : operations) {
    if (operation.name.rfind(product, 0) == 0) return operation.name.substr(product.size());
  }
  return kUsualDtype;
}

// The rate for a dtype, out of one for all or one for each.
double rate_of(const std::string& json, const std::string& dtype) {
  const Json rates = Json::parse(json);
  if (rates.is_number()) return rates.get<double>();
  if (!rates.is_object()) return 0;
  const auto rate = rates.find(rates.contains(dtype) ? dtype : kUsualDtype);
  return rate != rates.end() && rate->is_number() ? rate->get<double>() : 0;
}

}  // namespace

std::optional<engine::EngineId> engine_of(const Operation& operation) {
  if (operation.name.rfind("composite_", 0) == 0) return std::nullopt;  // of the scheduler
  for (std::size_t i = 0; i < engine::known_engines(); ++i) {
    const auto id = static_cast<engine::EngineId>(i);
    const bool own = operation.kind == engine::engine_word(id).name ||
                     operation.name == "TileToken/" + std::string(engine::engine_stage(id));
    if (own) return id;
  }
  return std::nullopt;
}

std::vector<EngineWork> engine_work(const Machine& machine, const std::vector<data::OpWork>& work,
                                    const data::OpLogNames& names, std::size_t pes) {
  const std::string dtype = dtype_of_products(names.operations);
  const OpNames known(names);
  std::vector<EngineWork> engines;
  for (const Machine::Engine& engine : machine.engines()) {
    EngineWork sum{engine.name};
    const engine::EngineId id = engine::engine_id(engine.name);
    for (const data::OpWork& one : work) {
      if (engine_of(known.operation(one.operation)) != id) continue;
      const bool macs = engine.unit == "MAC";
      sum.operations += engine.operations_per_unit * (macs ? one.useful_macs : one.elements);
      sum.padded += engine.operations_per_unit * (macs ? one.macs : one.elements);
    }
    sum.peak = engine.operations_per_unit * static_cast<double>(pes) * rate_of(engine.rate, dtype);
    engines.push_back(std::move(sum));
  }
  return engines;
}

}  // namespace kb::analysis
