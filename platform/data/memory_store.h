// The contents of every memory of the machine: HBM, cube SRAM and PE TCM (kernel scratch included) in one sparse,
// byte-addressable store keyed by physical address, so that the owner is part of the key (P-77, P-78).
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "platform/base/units.h"
#include "platform/contract/i_contents_keeper.h"
#include "platform/contract/pattern.h"
#include "platform/data/interval_map.h"
#include "platform/ops/op_types.h"

namespace kb::data {

using contract::Pattern;

class MemoryStore {
 public:
  struct Options {
    bool strict = false;                                       // reading unwritten bytes is an error
    std::function<std::string(std::uint64_t)> format_address;  // for messages; absent: hexadecimal
  };
  static constexpr std::uint64_t kPageBytes = 16 * kKiB;

  MemoryStore();
  explicit MemoryStore(Options options);
  ~MemoryStore();
  MemoryStore(const MemoryStore&) = delete;
  MemoryStore& operator=(const MemoryStore&) = delete;

  // From now on these bytes are with `keeper`, which outlives all uses of the store. They count as written.
  void keep_outside(std::uint64_t pa, std::uint64_t nbytes, contract::IContentsKeeper& keeper);
  bool is_kept_outside(std::uint64_t pa, std::uint64_t nbytes) const;  // any of the bytes

  void write(std::uint64_t pa, const std::byte* bytes, std::uint64_t nbytes);
  // Repeats `pattern` from `pa` on; the last repetition may be cut. Allocates no pages when it covers one whole page or
  // more. Program Error SCHEMA_ERROR when the width is not 1, 2, 4 or 8.
  void fill(std::uint64_t pa, std::uint64_t nbytes, Pattern pattern);
  // Unwritten bytes: program Error UNWRITTEN_READ in strict mode, else zero.
  void read(std::uint64_t pa, std::byte* bytes, std::uint64_t nbytes) const;

  // Extents in order, as one run of bytes. `out` has room for all of them.
  void gather(const std::vector<Extent>& extents, std::byte* out) const;
  std::vector<std::byte> gather(const std::vector<Extent>& extents) const;
  void gather(const std::vector<Extent>& extents, std::vector<std::byte>& bytes) const;  // replaces `bytes`
  void scatter(const std::vector<Extent>& extents, const std::byte* bytes);

  // Address of the first byte in the range that was never written.
  std::optional<std::uint64_t> first_unwritten(std::uint64_t pa, std::uint64_t nbytes) const;
  std::string format_address(std::uint64_t pa) const;
  bool strict() const { return options_.strict; }
  std::size_t pages() const { return pages_.size(); }  // allocated ones; 18 KiB of host memory each

 private:
  // A filled range that no page was allocated for. The pattern starts at `origin`, whichever part is left.
  struct Filling {
    Pattern pattern;
    std::uint64_t origin = 0;
    friend bool operator==(const Filling& a, const Filling& b) {
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
  std::unordered_map<std::uint64_t, std::unique_ptr<Page>> pages_;  // by pa / kPageBytes; never iterated in order
  IntervalMap<Filling> fillings_;  // holds where no page exists; a page, once allocated, takes its contents over
  IntervalMap<contract::IContentsKeeper*> outside_;
  mutable std::uint64_t last_number_ = ~std::uint64_t{0};
  mutable Page* last_page_ = nullptr;
};

}  // namespace kb::data
