// The output files of one command, which appear all together or not at all.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "platform/observe/output_file.h"

namespace kb::observe {

class OutputSet {
 public:
  // Errors are those of OutputFile. The first file appears last: a process that waits for it finds the others, too.
  OutputFile& add(std::string path, std::string purpose, OutputFile::Target target = OutputFile::Target::any) {
    files_.push_back(std::make_unique<OutputFile>(std::move(path), std::move(purpose), target));
    return *files_.back();
  }
  bool empty() const { return files_.empty(); }
  void commit() {
    std::vector<OutputFile*> files;
    for (const auto& file : files_) files.push_back(file.get());
    commit_together(files);
  }

 private:
  std::vector<std::unique_ptr<OutputFile>> files_;
};

}  // namespace kb::observe
