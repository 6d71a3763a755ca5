// Small model files of every family, and changes of them.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "platform/model/model_spec.h"

namespace kb::model {

// The config.json of a tiny model: "llama", "mistral", "mixtral", "qwen2", "qwen3", "qwen3_moe", "deepseek_v3". One key
// on each line; the first key stands on line 2. Each change is a key and its JSON value: it replaces the line of that
// key, or is added as the last line. An empty value removes the line.
using Changes = std::vector<std::pair<std::string, std::string>>;
std::string tiny_text(const std::string& family, const Changes& changes = {});
ModelSpec tiny_model(const std::string& family, const Changes& changes = {});
const std::vector<std::string>& tiny_families();

// What load_model_text() throws for the changed file, or an empty text; the file is called "m.json".
std::string problem_of(const std::string& family, const Changes& changes);
// Its warnings, one per line.
std::string warnings_of(const std::string& family, const Changes& changes);

ModelSpec shipped_model(const std::string& name);

}  // namespace kb::model
