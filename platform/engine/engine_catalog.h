// The engines of a machine, or those that a program knows.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "platform/engine/engine_row.h"

namespace kb::engine {

class EngineCatalog {
 public:
  EngineCatalog();  // the built-in engines

  // Configuration Error when the engine exists, or a command of it has a name that exists or lacks a part.
  EngineId add(EngineRow row);

  // Null when these engines have none of this number.
  const EngineRow* find(EngineId engine) const { return rows_[index_of(engine)].get(); }
  bool has(EngineId engine) const { return find(engine) != nullptr; }
  const EngineRow& row(EngineId engine) const;
  const std::vector<EngineId>& ids() const { return ids_; }  // ascending

  // A command of a plug-in's engine.
  struct Command {
    EngineId engine{};
    const CommandRow* row = nullptr;  // lives as long as this catalogue or a copy of it
  };
  std::optional<Command> find_command(std::string_view name) const;
  std::vector<std::string> command_names() const;  // of plug-ins

  // The built-in ones, and those of plug-ins that are named.
  EngineCatalog with_only(const std::vector<EngineId>& of_plugins) const;

 private:
  void put(EngineId engine, std::shared_ptr<const EngineRow> row);

  std::array<std::shared_ptr<const EngineRow>, kMaxEngines> rows_;
  std::vector<EngineId> ids_;
};

// How reports speak of an engine: what the first row of its name says.
void set_engine_word(EngineId engine, const Word& word);

}  // namespace kb::engine
