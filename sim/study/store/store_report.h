// What `kernbench model memo` prints.
#pragma once

#include <string>

#include "sim/study/store/store.h"
#include "sim/study/store/store_edit.h"

namespace kb::store {

// Entries and bytes, by version, machine, model and kernel; when they were used.
std::string render_stat(const Store& store);
std::string render_stat_json(const Store& store);

std::string render_merged(const std::string& folder, const Merged& merged);
std::string render_merged_json(const std::string& folder, const Merged& merged);

std::string render_pruned(const std::string& folder, const Pruned& pruned);
std::string render_pruned_json(const std::string& folder, const Pruned& pruned);

}  // namespace kb::store
