#include "platform/base/text_kind.h"

#include "platform/base/error.h"

namespace kb {

void check_text_kind(const std::string& file, std::string_view begin) {
  const auto begins = [begin](std::string_view text) { return begin.substr(0, text.size()) == text; };
  const auto refuse = [&file](const char* message, const char* remedy) {
    throw Error({Diagnostic{file, 0, 0, "", message, remedy}});
  };
  if (begins("version https://git-lfs")) refuse("is a pointer of Git LFS, not the file", "get the file: git lfs pull");
  if (begins("\xff\xfe") || begins("\xfe\xff")) refuse("is UTF-16, not UTF-8", "save it as UTF-8");
}

}  // namespace kb
