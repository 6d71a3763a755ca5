// Texts for users that describe a name of the program.
#pragma once

#include <string_view>

namespace kb {

struct DisplayText {
  std::string_view name;      // in files and scripts: "memory"
  std::string_view label;     // in tables and pictures: "memory channels"
  std::string_view sentence;  // its meaning
  std::string_view phrase;    // inside a sentence: "waited for transfers"; empty when no sentence uses it
  std::string_view colour;    // "#1f5f9a"; empty when no picture shows it
};

}  // namespace kb
