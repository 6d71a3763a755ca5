// Contents of all memories of the machine: HBM, cube SRAM and PE TCM (kernel scratch included), in one sparse,
// byte-addressable store. The physical address is the key and identifies the owner (P-77, P-78).
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "platform/base/units.h"
#include "platform/contract/i_external_contents.h"
#include "platform/contract/pattern.h"
#include "platform/data/interval_map.h"
#include "platform/ops/op_types.h"

namespace kb::data {

using contract::Pattern;

class MemoryStore {
 public:
  struct Options {
    bool strict = false;                                       // reading unwritten bytes is an error
    std::function<std::string(std::uint64_t)> format_address;  // for messages; default: hexadecimal
  };
  static constexpr std::uint64_t kPageBytes = 16 * kKiB;

  MemoryStore();
  explicit MemoryStore(Options options);
  ~MemoryStore();
  MemoryStore(const MemoryStore&) = delete;
  MemoryStore& operator=(const MemoryStore&) = delete;

  // From now on `keeper` stores these bytes; it outlives all uses of the store. They count as written.
  void map_external(std::uint64_t pa, std::uint64_t nbytes, contract::IExternalContents& keeper);
  bool is_external(std::uint64_t pa, std::uint64_t nbytes) const;  // true when any of the bytes is

  void write(std::uint64_t pa, const std::byte* bytes, std::uint64_t nbytes);
  // Repeats `pattern` from `pa` on; the last repetition may be cut. A filling of at least one whole page allocates no
  // pages. Program Error SCHEMA_ERROR when the width is not 1, 2, 4 or 8.
  void fill(std::uint64_t pa, std::uint64_t nbytes, Pattern pattern);
  // Reading unwritten bytes is program Error UNWRITTEN_READ in strict mode; otherwise they are zero, and the address of
  // the first of them is kept for take_unwritten().
  void read(std::uint64_t pa, std::byte* bytes, std::uint64_t nbytes) const;

  // gather() reads the extents in order into contiguous bytes, scatter() writes them. `out` has room for all bytes.
  void gather(const std::vector<Extent>& extents, std::byte* out) const;
  std::vector<std::byte> gather(const std::vector<Extent>& extents) const;
  void gather(const std::vector<Extent>& extents, std::vector<std::byte>& bytes) const;  // replaces `bytes`
  void scatter(const std::vector<Extent>& extents, const std::byte* bytes);

  // Address of the first byte in the range that was never written; no value when all were.
  std::optional<std::uint64_t> first_unwritten(std::uint64_t pa, std::uint64_t nbytes) const;
  // Address of the first unwritten byte that was read since the last call; no value when all had been written.
  std::optional<std::uint64_t> take_unwritten() const { return std::exchange(unwritten_, std::nullopt); }
  std::string format_address(std::uint64_t pa) const;
  bool strict() const { return options_.strict; }
  std::size_t pages() const { return pages_.size(); }  // allocated pages; each takes 18 KiB of host memory

 private:
  // A filled range without allocated pages. The pattern starts at `origin`, even when the start of the range was
  // replaced.
  struct FillRange {
    Pattern pattern;
    std::uint64_t origin = 0;
    friend bool operator==(const FillRange& a, const FillRange& b) {
      return a.pattern.value == b.pattern.value && a.pattern.width == b.pattern.width && a.origin == b.origin;
    }
  };
  struct Page;

  template <typename Own, typename Outside>
  void split(std::uint64_t pa, std::uint64_t nbytes, Own&& own, Outside&& outside) const;
  void write_own(std::uint64_t pa, const std::byte* bytes, std::uint64_t nbytes);
  void fill_own(std::uint64_t pa, std::uint64_t nbytes, Pattern pattern, std::uint64_t origin);
  void read_own(std::uint64_t pa, std::byte* bytes, std::uint64_t nbytes) const;
  std::optional<std::uint64_t> first_unwritten_own(std::uint64_t pa, std::uint64_t nbytes) const;
  Page* find(std::uint64_t number) const;
  Page& page_for_write(std::uint64_t number);
  void drop_pages(std::uint64_t first, std::uint64_t end);
  void read_unpaged(std::uint64_t pa, std::byte* bytes, std::uint64_t nbytes) const;
  [[noreturn]] void fail_unwritten(std::uint64_t pa, std::uint64_t nbytes, std::uint64_t first) const;

  Options options_;
  std::unordered_map<std::uint64_t, std::unique_ptr<Page>> pages_;  // key: pa / kPageBytes; never iterated
  IntervalMap<FillRange> fillings_;  // valid where no page exists; an allocated page takes over its contents
  IntervalMap<contract::IExternalContents*> outside_;
  mutable std::uint64_t last_number_ = ~std::uint64_t{0};
  mutable Page* last_page_ = nullptr;
  mutable std::optional<std::uint64_t> unwritten_;
};

}  // namespace kb::data
