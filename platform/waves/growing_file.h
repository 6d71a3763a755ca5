// A file that can be read while it is being written.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "platform/observe/output_file.h"

namespace kb::waves {

// The file has a head, a growing body, and an end that is rewritten. After a kill it contains the end that was shown
// last, or the part that was appended afterwards. When the target is a pipe or a device, everything is written at
// completion. Configuration Error OUTPUT_WRITE with the system's reason.
class GrowingFile {
 public:
  enum class Layout {
    text,
    blocks,  // a block begins with a non-zero byte; a block whose first byte is 0 is not part of the file
  };
  GrowingFile(observe::OutputFile& file, Layout layout) : file_(file), is_blocks_(layout == Layout::blocks) {}
  ~GrowingFile();
  GrowingFile(const GrowingFile&) = delete;
  GrowingFile& operator=(const GrowingFile&) = delete;

  // Must be called first. A later head with another length moves the body to a new file.
  void set_head(std::string_view head);
  // Appends to the body, overwriting the end that show() wrote.
  void append(std::string_view bytes);
  // Writes an end after the body, overwriting the previous end. The file gets its final name, and stays there even if
  // the process is killed.
  void show(std::string_view bytes);
  // Completes the file without the end that show() wrote.
  void complete();

 private:
  void open();
  // Writes the first byte of a block last, so that readers never see an incomplete block.
  void write_in_turn(std::string_view bytes);
  void write_at(std::uint64_t place, std::string_view bytes);
  std::size_t read_at(int from, std::uint64_t place, char* to, std::size_t size);
  void cut_to_body();
  void move_body(std::size_t head);

  observe::OutputFile& file_;
  bool is_blocks_;
  int descriptor_ = -1;
  bool nameless_ = false;
  bool shown_ = false;
  std::uint64_t head_ = 0, size_ = 0;  // in bytes; size_ is head plus body
};

}  // namespace kb::waves
