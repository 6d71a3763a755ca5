// fst_text FILE: every change of an FST as a line "time scope.name value", times in units of the file.
#include <fstapi.h>

#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <map>
#include <string>

namespace {

std::map<fstHandle, std::string> g_names;

void print_change(void*, std::uint64_t time, fstHandle handle, const unsigned char* value) {
  std::printf("%" PRIu64 " %s %s\n", time, g_names[handle].c_str(), reinterpret_cast<const char*>(value));
}

}  // namespace

int main(int argc, char** argv) {
  void* const reader = argc == 2 ? fstReaderOpen(argv[1]) : nullptr;
  if (reader == nullptr) {
    std::fprintf(stderr, "usage: fst_text FILE, of FST\n");
    return 2;
  }
  std::string scope;
  while (const fstHier* const entry = fstReaderIterateHier(reader)) {
    if (entry->htyp == FST_HT_SCOPE) {
      scope += std::string(entry->u.scope.name) + ".";
    } else if (entry->htyp == FST_HT_UPSCOPE) {
      scope.erase(scope.find_last_of('.', scope.size() - 2) + 1);
    } else if (entry->htyp == FST_HT_VAR) {
      g_names.emplace(entry->u.var.handle, scope + entry->u.var.name);
    }
  }
  fstReaderSetFacProcessMaskAll(reader);
  const int read = fstReaderIterBlocks(reader, print_change, nullptr, nullptr);
  fstReaderClose(reader);
  return read != 0 ? 0 : 1;
}
