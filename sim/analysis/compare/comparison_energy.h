// Compares the joules of two runs.
#pragma once

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "sim/analysis/compare/comparison.h"
#include "sim/result/result.h"

namespace kb::sim {

// No value when neither run has joules.
std::optional<EnergyComparison> compare_energy(const result::Result& before, const result::Result& after);

// Shares of lines are rounded to femtojoules: a change of less than a millionth is no change.
bool differs(const result::Joules& before, const result::Joules& after);

// Section of the text with at most `rows` lines of kernels.
std::string energy_section(const EnergyComparison& energy, std::size_t rows);
// Member `energy` of the JSON.
nlohmann::ordered_json energy_json(const EnergyComparison& energy);

// "ahead.cpp:41 -> 43 wait": file, number in A and, if it is another one, in B, and call. 0: that run does not have it.
std::string changed_line(const std::string& file, const std::string& call, std::uint64_t before, std::uint64_t after);

}  // namespace kb::sim
