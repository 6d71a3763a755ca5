#include "platform/payload/messages.h"

#include <type_traits>
#include <utility>

#include "platform/contract/completion.h"

namespace kb::payload {
namespace {

template <typename Content>
constexpr bool kIsTranslation = std::is_base_of_v<TranslationMsg, Content>;

}  // namespace

// Defined here, so that senders of messages need not compile PeResult.
LaunchReply::LaunchReply() = default;
LaunchReply::LaunchReply(std::vector<contract::PeResult> results) : pes(std::move(results)) {}
LaunchReply::LaunchReply(const LaunchReply&) = default;
LaunchReply::LaunchReply(LaunchReply&&) noexcept = default;
LaunchReply& LaunchReply::operator=(const LaunchReply&) = default;
LaunchReply& LaunchReply::operator=(LaunchReply&&) noexcept = default;
LaunchReply::~LaunchReply() = default;

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
