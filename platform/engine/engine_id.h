// Identifies an engine of a PE: an index for arrays, with a name.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

#include "platform/base/display_text.h"

namespace kb::engine {

// The built-in engines come first, followed by those of plug-ins in the order of registration of their names.
enum class EngineId : std::uint8_t { gemm, math };
inline constexpr std::size_t kBuiltInEngines = 2;
inline constexpr std::size_t kMaxEngines = 8;  // per process, including the built-in ones

constexpr std::size_t index_of(EngineId engine) {
  return static_cast<std::size_t>(engine);
}

// The id of a name; equal names have equal ids in all machines of a process. Configuration Error when the name has
// other characters than lower-case letters, digits and underscores, when another part of a PE has it, or when there are
// too many.
EngineId engine_id(std::string_view name);
std::size_t known_engines();  // ids below have names

// The results are valid until the program ends.
const DisplayText& engine_word(
    EngineId engine);  // for example "gemm": name of its time share, series and rows in reports
std::string_view engine_node(EngineId engine);   // "pe_gemm": kind of its block in a PE
std::string_view engine_stage(EngineId engine);  // "GEMM": the stage that it executes

class EngineCatalog;
using EngineCatalogPtr = std::shared_ptr<const EngineCatalog>;
// The catalog of all machines without engines of plug-ins.
const EngineCatalogPtr& built_in_engines();

}  // namespace kb::engine
