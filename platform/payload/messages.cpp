#include "platform/payload/messages.h"

#include <type_traits>

namespace kb::payload {
namespace {

template <typename Content>
constexpr bool kIsTranslation = std::is_base_of_v<TranslationMsg, Content>;

}  // namespace

const TranslationMsg* translation(const Message* message) {
  if (message == nullptr) return nullptr;
  return std::visit(
      [](const auto& content) -> const TranslationMsg* {
        if constexpr (kIsTranslation<std::decay_t<decltype(content)>>) return &content;
        return nullptr;
      },
      *message);
}

std::string_view translation_verb(const Message& message) {
  return std::visit(
      [](const auto& content) -> std::string_view {
        if constexpr (kIsTranslation<std::decay_t<decltype(content)>>) {
          return content.verb();
        } else {
          return {};
        }
      },
      message);
}

}  // namespace kb::payload
