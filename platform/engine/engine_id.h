// Which engine of a PE: an index for arrays, and the name behind it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

#include "platform/base/word.h"

namespace kb::engine {

// The built-in engines come first. Those of plug-ins follow in the order in which their names become known.
enum class EngineId : std::uint8_t { gemm, math };
inline constexpr std::size_t kBuiltInEngines = 2;
inline constexpr std::size_t kMaxEngines = 8;  // of a process, the built-in ones among them

constexpr std::size_t index_of(EngineId engine) {
  return static_cast<std::size_t>(engine);
}

// The number of a name; equal names have equal numbers in all machines of a process. Configuration Error when the name
// is not one of lower-case letters, digits and underscores, is that of something else in a PE, or there are too many.
EngineId engine_id(std::string_view name);
std::size_t known_engines();  // ids below have names

// Valid until the program ends.
const Word& engine_word(EngineId engine);        // its name is "gemm": its time share, series and rows of reports
std::string_view engine_node(EngineId engine);   // "pe_gemm": its block in a PE
std::string_view engine_stage(EngineId engine);  // "GEMM": the stage of a command that it does

class EngineCatalog;
using EngineCatalogPtr = std::shared_ptr<const EngineCatalog>;
// One object for all machines without engines of plug-ins.
const EngineCatalogPtr& built_in_engines();

}  // namespace kb::engine
