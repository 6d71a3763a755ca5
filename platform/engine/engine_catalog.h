// The engines of a machine, or all engines known to a program.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "platform/engine/command_ref.h"
#include "platform/engine/engine_row.h"

namespace kb::engine {

class EngineCatalog {
 public:
  EngineCatalog();  // the built-in engines

  // Configuration Error when the engine or the name of a command exists, or when a command is incomplete.
  EngineId add(EngineRow row);

  // Null when the catalog does not have this engine.
  const EngineRow* find(EngineId engine) const { return rows_[index_of(engine)].get(); }
  bool has(EngineId engine) const { return find(engine) != nullptr; }
  const EngineRow& row(EngineId engine) const;
  const std::vector<EngineId>& ids() const { return ids_; }  // ascending

  std::optional<CommandRef> find_command(std::string_view name) const;  // of a plug-in's engine
  std::vector<std::string> command_names() const;                       // commands of plug-ins

  // A catalog with the built-in engines and the given engines of plug-ins.
  EngineCatalog with_only(const std::vector<EngineId>& of_plugins) const;

 private:
  void put(EngineId engine, std::shared_ptr<const EngineRow> row);

  std::array<std::shared_ptr<const EngineRow>, kMaxEngines> rows_;
  std::vector<EngineId> ids_;
};

// Sets the words of an engine in reports; the first row with its name defines them.
void set_engine_word(EngineId engine, const DisplayText& word);

}  // namespace kb::engine
