// A file that can be read while it is written.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "platform/observe/output_file.h"

namespace kb::waves {

// A head, a body that grows, and an end that is written again and again. A killed process leaves what was shown last,
// or what was appended since. Where the target is a pipe or a device, all of it is written there in the end.
// Configuration Error OUTPUT_WRITE with the system's reason.
class GrowingFile {
 public:
  enum class Layout {
    text,
    blocks,  // begin with a byte that is not 0; a block whose first byte is 0 is no part of the file
  };
  GrowingFile(observe::OutputFile& file, Layout layout) : file_(file), is_blocks_(layout == Layout::blocks) {}
  ~GrowingFile();
  GrowingFile(const GrowingFile&) = delete;
  GrowingFile& operator=(const GrowingFile&) = delete;

  // First of all. A later head of another length moves the body into a new file.
  void set_head(std::string_view head);
  // In place of what was shown.
  void append(std::string_view bytes);
  // Writes the end after the body, in place of the end that was shown before. The file takes its place then, and stays
  // there even if the process is killed.
  void show(std::string_view bytes);
  // Ends writing; the file is without what was shown.
  void complete();

 private:
  void open();
  // The first byte of a block comes last: nobody meets a part of one.
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
  std::uint64_t head_ = 0, size_ = 0;  // bytes; size_ of head and body
};

}  // namespace kb::waves
