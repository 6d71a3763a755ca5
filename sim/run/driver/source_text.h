// Text of the source files in which a run's time went.
#pragma once

#include <string>
#include <vector>

#include "sim/result/line_record.h"

namespace kb::sim {

struct SourceFile {
  std::string file;  // as the places name it
  std::string text;

  // Without the white space around it; "" when there is no such line.
  std::string line(std::uint32_t number) const;
};

// Folders in which relative names of files may be found: those of the plug-ins and of the program, the working folder,
// and the folders around each, nearest first.
std::vector<std::string> source_folders(const std::vector<std::string>& plugins);

// Files that the places name, at most kMostSourceBytes of each. A file is left out when it is not found, or when most
// of the named lines do not have their calls: it has changed since it was compiled, or is another file of that name.
inline constexpr std::size_t kMostSourceBytes = std::size_t{1} << 20;
std::vector<SourceFile> read_sources(const std::vector<SourcePlace>& places, const std::vector<std::string>& folders);

}  // namespace kb::sim
