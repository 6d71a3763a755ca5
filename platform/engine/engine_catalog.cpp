#include "platform/engine/engine_catalog.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "platform/base/error.h"
#include "platform/engine/built_in_engines.h"

namespace kb::engine {
namespace {

[[noreturn]] void refuse(const EngineRow& row, const std::string& what) {
  throw Error::configuration(fmt::format("engine '{}': {}", row.name, what));
}

bool is_colour(const std::string& text) {
  return text.size() == 7 && text.front() == '#' &&
         text.find_first_not_of("0123456789abcdefABCDEF", 1) == std::string::npos;
}

void check(const EngineRow& row, const CommandRow& command) {
  const std::string where = fmt::format("command '{}' ", command.name);
  if (command.name.empty()) refuse(row, "a command has no name");
  if (command.name.find_first_of("\t\n\"\\") != std::string::npos)
    refuse(row, where + "has a name with odd characters");
  if (command.form != CommandForm::function) refuse(row, where + "has the `form` of a built-in command; leave it out");
  if (command.reads.empty()) refuse(row, where + "reads nothing; name its operands in `reads`");
  if (command.result == nullptr) refuse(row, where + "has no `result`, which says the type of what it writes");
  if (command.work == nullptr) refuse(row, where + "has no `work`, which says how long it takes");
  if (command.compute == nullptr) refuse(row, where + "has no `compute`, which makes the data");
  for (const Parameter& parameter : command.parameters) {
    if (parameter.least <= parameter.fallback && parameter.fallback <= parameter.most) continue;
    refuse(row, fmt::format("{}has a parameter '{}' whose default {} is not in {} .. {}", where, parameter.name,
                            parameter.fallback, parameter.least, parameter.most));
  }
}

// Fills in the optional members of a row.
void complete(EngineRow& row, EngineId id) {
  const std::string stage(engine_stage(id));
  if (row.label.empty()) row.label = stage;
  if (row.text.empty()) row.text = "engine of a plug-in";
  if (row.sentence.empty()) row.sentence = fmt::format("PE_{} computes, and no engine listed before it.", stage);
  if (row.phrase.empty()) row.phrase = fmt::format("computed in PE_{}", stage);
  if (row.advice.empty())
    row.advice = fmt::format("this is the roof of PE_{}: use more PEs, or give it less work", stage);
  if (row.colour.empty()) row.colour = "#8a8f3c";
}

}  // namespace

EngineCatalog::EngineCatalog() {
  for (EngineRow& row : built_in_rows()) {
    const EngineId id = engine_id(row.name);
    put(id, std::make_shared<const EngineRow>(std::move(row)));
  }
}

EngineId EngineCatalog::add(EngineRow row) {
  const EngineId id = engine_id(row.name);
  if (has(id)) refuse(row, "it exists already; rename it");
  complete(row, id);
  if (!is_colour(row.colour)) refuse(row, fmt::format("'{}' is no colour; write for example #8a8f3c", row.colour));
  if (!(row.rate > 0.0)) refuse(row, "its rate must be above 0");
  if (row.commands.empty()) refuse(row, "it has no commands");
  if (row.attributes != nullptr) {
    refuse(row, "it has `attributes`, but those of a plug-in's engine are those of pe_engine; leave them out");
  }
  for (const CommandRow& command : row.commands) {
    check(row, command);
    const auto same = [&](const CommandRow& other) { return &other != &command && other.name == command.name; };
    if (find_command(command.name) || std::any_of(row.commands.begin(), row.commands.end(), same)) {
      refuse(row, fmt::format("there is another command '{}'; rename it", command.name));
    }
  }
  put(id, std::make_shared<const EngineRow>(std::move(row)));
  return id;
}

void EngineCatalog::put(EngineId engine, std::shared_ptr<const EngineRow> row) {
  set_engine_word(engine, {row->name, row->label, row->sentence, row->phrase, row->colour});
  rows_[index_of(engine)] = std::move(row);
  ids_.insert(std::lower_bound(ids_.begin(), ids_.end(), engine), engine);
}

const EngineRow& EngineCatalog::row(EngineId engine) const {
  const EngineRow* const found = find(engine);
  if (found == nullptr) throw Error::model(fmt::format("this machine has no engine '{}'", engine_word(engine).name));
  return *found;
}

std::optional<CommandRef> EngineCatalog::find_command(std::string_view name) const {
  for (const EngineId id : ids_) {
    if (index_of(id) < kBuiltInEngines) continue;
    for (const CommandRow& command : row(id).commands) {
      if (command.name == name) return CommandRef{id, &command};
    }
  }
  return std::nullopt;
}

std::vector<std::string> EngineCatalog::command_names() const {
  std::vector<std::string> names;
  for (const EngineId id : ids_) {
    if (index_of(id) < kBuiltInEngines) continue;
    for (const CommandRow& command : row(id).commands) names.push_back(command.name);
  }
  return names;
}

EngineCatalog EngineCatalog::with_only(const std::vector<EngineId>& of_plugins) const {
  EngineCatalog out;
  for (const EngineId id : of_plugins) out.put(id, rows_[index_of(id)]);
  return out;
}

const EngineCatalogPtr& built_in_engines() {
  static const EngineCatalogPtr catalog = std::make_shared<const EngineCatalog>();
  return catalog;
}

}  // namespace kb::engine
