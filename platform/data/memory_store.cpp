#include "platform/data/memory_store.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "platform/base/error.h"

namespace kb::data {
namespace {

constexpr std::uint64_t kPage = MemoryStore::kPageBytes;
constexpr std::uint64_t kWordBits = 64;

void check_range(std::uint64_t pa, std::uint64_t nbytes) {
  if (pa + nbytes < pa) {
    throw Error::model(
        fmt::format("memory store: {} bytes at 0x{:x} run over the end of the address space", nbytes, pa));
  }
}

// Mask of the bits [begin, end) in word `index` of a bitmap.
std::uint64_t word_mask(std::uint64_t index, std::uint64_t begin, std::uint64_t end) {
  const std::uint64_t base = index * kWordBits;
  std::uint64_t mask = ~std::uint64_t{0};
  if (begin > base) mask &= ~std::uint64_t{0} << (begin - base);
  if (end < base + kWordBits) mask &= ~std::uint64_t{0} >> (base + kWordBits - end);
  return mask;
}

// Bytes [at, at + nbytes) of a pattern that starts at address `origin`.
void write_pattern(std::byte* out, std::uint64_t nbytes, Pattern pattern, std::uint64_t origin, std::uint64_t at) {
  std::byte cell[8];
  for (unsigned i = 0; i < pattern.width; ++i) {
    cell[i] = static_cast<std::byte>(pattern.value >> (8 * ((at - origin + i) % pattern.width)));
  }
  const std::uint64_t first = std::min<std::uint64_t>(nbytes, pattern.width);
  std::memcpy(out, cell, first);
  for (std::uint64_t done = first; done < nbytes;) {
    const std::uint64_t chunk = std::min(done, nbytes - done);
    std::memcpy(out + done, out, chunk);
    done += chunk;
  }
}

}  // namespace

struct MemoryStore::Page {
  std::byte bytes[kPage];
  std::uint64_t written[kPage / kWordBits];

  void mark(std::uint64_t begin, std::uint64_t end) {
    for (std::uint64_t w = begin / kWordBits; w * kWordBits < end; ++w) written[w] |= word_mask(w, begin, end);
  }
  // First offset in [begin, end) that was never written, or `end`.
  std::uint64_t first_unwritten(std::uint64_t begin, std::uint64_t end) const {
    for (std::uint64_t w = begin / kWordBits; w * kWordBits < end; ++w) {
      const std::uint64_t missing = ~written[w] & word_mask(w, begin, end);
      if (missing != 0) return w * kWordBits + static_cast<std::uint64_t>(__builtin_ctzll(missing));
    }
    return end;
  }
};

MemoryStore::MemoryStore() = default;
MemoryStore::MemoryStore(Options options) : options_(std::move(options)) {}
MemoryStore::~MemoryStore() = default;

MemoryStore::Page* MemoryStore::find(std::uint64_t number) const {
  if (number == last_number_) return last_page_;
  const auto it = pages_.find(number);
  if (it == pages_.end()) return nullptr;
  last_number_ = number;
  last_page_ = it->second.get();
  return last_page_;
}

MemoryStore::Page& MemoryStore::page_for_write(std::uint64_t number) {
  if (Page* page = find(number)) return *page;
  auto& slot = pages_[number];
  slot = std::make_unique<Page>();
  Page& page = *slot;
  const std::uint64_t base = number * kPage;
  fillings_.for_each(base, base + kPage, [&](std::uint64_t begin, std::uint64_t end, const FillRange& filling) {
    write_pattern(page.bytes + (begin - base), end - begin, filling.pattern, filling.origin, begin);
    page.mark(begin - base, end - base);
    return true;
  });
  last_number_ = number;
  last_page_ = &page;
  return page;
}

void MemoryStore::drop_pages(std::uint64_t first, std::uint64_t end) {
  last_number_ = ~std::uint64_t{0};
  last_page_ = nullptr;
  if (end - first <= pages_.size()) {
    for (std::uint64_t number = first; number < end; ++number) pages_.erase(number);
    return;
  }
  for (auto it = pages_.begin(); it != pages_.end();) {
    it = it->first >= first && it->first < end ? pages_.erase(it) : std::next(it);
  }
}

void MemoryStore::map_external(std::uint64_t pa, std::uint64_t nbytes, contract::IExternalContents& keeper) {
  check_range(pa, nbytes);
  outside_.assign(pa, pa + nbytes, &keeper);
}

bool MemoryStore::is_external(std::uint64_t pa, std::uint64_t nbytes) const {
  bool kept = false;
  outside_.for_each(pa, pa + nbytes, [&](std::uint64_t, std::uint64_t, contract::IExternalContents*) {
    kept = true;
    return false;
  });
  return kept;
}

// Calls own(begin, bytes) and outside(begin, bytes, keeper) for the parts of a range, ascending.
template <typename Own, typename Outside>
void MemoryStore::split(std::uint64_t pa, std::uint64_t nbytes, Own&& own, Outside&& outside) const {
  if (outside_.empty()) return own(pa, nbytes);
  std::uint64_t at = pa;
  outside_.for_each(pa, pa + nbytes, [&](std::uint64_t begin, std::uint64_t end, contract::IExternalContents* keeper) {
    if (begin > at) own(at, begin - at);
    outside(begin, end - begin, *keeper);
    at = end;
    return true;
  });
  if (at < pa + nbytes) own(at, pa + nbytes - at);
}

void MemoryStore::write(std::uint64_t pa, const std::byte* bytes, std::uint64_t nbytes) {
  check_range(pa, nbytes);
  split(
      pa, nbytes, [&](std::uint64_t begin, std::uint64_t count) { write_own(begin, bytes + (begin - pa), count); },
      [&](std::uint64_t begin, std::uint64_t count, contract::IExternalContents& keeper) {
        keeper.write(begin, bytes + (begin - pa), count);
      });
}

void MemoryStore::write_own(std::uint64_t pa, const std::byte* bytes, std::uint64_t nbytes) {
  while (nbytes > 0) {
    const std::uint64_t offset = pa % kPage;
    const std::uint64_t chunk = std::min(nbytes, kPage - offset);
    Page& page = page_for_write(pa / kPage);
    std::memcpy(page.bytes + offset, bytes, chunk);
    page.mark(offset, offset + chunk);
    pa += chunk;
    bytes += chunk;
    nbytes -= chunk;
  }
}

void MemoryStore::fill(std::uint64_t pa, std::uint64_t nbytes, Pattern pattern) {
  check_range(pa, nbytes);
  if (pattern.width != 1 && pattern.width != 2 && pattern.width != 4 && pattern.width != 8) {
    throw Error::program("SCHEMA_ERROR", fmt::format("a fill pattern of {} bytes at {}; use 1, 2, 4 or 8",
                                                     pattern.width, format_address(pa)));
  }
  split(
      pa, nbytes, [&](std::uint64_t begin, std::uint64_t count) { fill_own(begin, count, pattern, pa); },
      [&](std::uint64_t begin, std::uint64_t count, contract::IExternalContents& keeper) {
        std::vector<std::byte> bytes(std::min(count, kPage));
        for (std::uint64_t at = begin; at < begin + count; at += bytes.size()) {
          const std::uint64_t part = std::min<std::uint64_t>(bytes.size(), begin + count - at);
          write_pattern(bytes.data(), part, pattern, pa, at);
          keeper.write(at, bytes.data(), part);
        }
      });
}

void MemoryStore::fill_own(std::uint64_t pa, std::uint64_t nbytes, Pattern pattern, std::uint64_t origin) {
  const std::uint64_t end = pa + nbytes;
  const std::uint64_t first_whole = (pa + kPage - 1) / kPage;
  const std::uint64_t end_whole = end / kPage;
  const bool lazy = first_whole < end_whole;
  if (lazy) {
    drop_pages(first_whole, end_whole);
    fillings_.assign(pa, end, FillRange{pattern, origin});
  }
  const auto fill_part = [&](std::uint64_t begin, std::uint64_t stop) {
    const std::uint64_t number = begin / kPage;
    Page* page = lazy ? find(number) : &page_for_write(number);
    if (page == nullptr) return;
    write_pattern(page->bytes + begin % kPage, stop - begin, pattern, origin, begin);
    page->mark(begin % kPage, begin % kPage + (stop - begin));
  };
  for (std::uint64_t at = pa; at < end;) {
    const std::uint64_t stop = std::min(end, (at / kPage + 1) * kPage);
    if (lazy && at / kPage == first_whole) {
      at = end_whole * kPage;  // whole pages are stored as fillings
      continue;
    }
    fill_part(at, stop);
    at = stop;
  }
}

void MemoryStore::read_unpaged(std::uint64_t pa, std::byte* bytes, std::uint64_t nbytes) const {
  std::uint64_t at = pa;
  const std::uint64_t end = pa + nbytes;
  fillings_.for_each(pa, end, [&](std::uint64_t begin, std::uint64_t stop, const FillRange& filling) {
    std::memset(bytes + (at - pa), 0, begin - at);
    write_pattern(bytes + (begin - pa), stop - begin, filling.pattern, filling.origin, begin);
    at = stop;
    return true;
  });
  std::memset(bytes + (at - pa), 0, end - at);
}

void MemoryStore::read(std::uint64_t pa, std::byte* bytes, std::uint64_t nbytes) const {
  check_range(pa, nbytes);
  if (!unwritten_) {
    unwritten_ = first_unwritten(pa, nbytes);
    if (unwritten_ && options_.strict) fail_unwritten(pa, nbytes, *take_unwritten());
  }
  split(
      pa, nbytes, [&](std::uint64_t begin, std::uint64_t count) { read_own(begin, bytes + (begin - pa), count); },
      [&](std::uint64_t begin, std::uint64_t count, contract::IExternalContents& keeper) {
        keeper.read(begin, bytes + (begin - pa), count);
      });
}

void MemoryStore::read_own(std::uint64_t pa, std::byte* bytes, std::uint64_t nbytes) const {
  while (nbytes > 0) {
    const std::uint64_t offset = pa % kPage;
    const std::uint64_t chunk = std::min(nbytes, kPage - offset);
    if (const Page* page = find(pa / kPage)) {
      std::memcpy(bytes, page->bytes + offset, chunk);
    } else {
      read_unpaged(pa, bytes, chunk);
    }
    pa += chunk;
    bytes += chunk;
    nbytes -= chunk;
  }
}

std::optional<std::uint64_t> MemoryStore::first_unwritten(std::uint64_t pa, std::uint64_t nbytes) const {
  check_range(pa, nbytes);
  std::optional<std::uint64_t> first;
  split(
      pa, nbytes,
      [&](std::uint64_t begin, std::uint64_t count) {
        if (!first) first = first_unwritten_own(begin, count);
      },
      [](std::uint64_t, std::uint64_t, contract::IExternalContents&) {});
  return first;
}

std::optional<std::uint64_t> MemoryStore::first_unwritten_own(std::uint64_t pa, std::uint64_t nbytes) const {
  const std::uint64_t end = pa + nbytes;
  while (pa < end) {
    const std::uint64_t base = pa / kPage * kPage;
    const std::uint64_t stop = std::min(end, base + kPage);
    std::uint64_t reached = pa;
    if (const Page* page = find(pa / kPage)) {
      reached = base + page->first_unwritten(pa - base, stop - base);
    } else {
      fillings_.for_each(pa, stop, [&](std::uint64_t begin, std::uint64_t until, const FillRange&) {
        if (begin > reached) return false;
        reached = until;
        return true;
      });
    }
    if (reached < stop) return reached;
    pa = stop;
  }
  return std::nullopt;
}

std::string MemoryStore::format_address(std::uint64_t pa) const {
  return options_.format_address ? options_.format_address(pa) : fmt::format("0x{:x}", pa);
}

void MemoryStore::fail_unwritten(std::uint64_t pa, std::uint64_t nbytes, std::uint64_t first) const {
  throw Error::program(
      "UNWRITTEN_READ",
      fmt::format("a read of {} bytes at {} meets bytes that were never written, the first at {} (byte "
                  "{} of the read); write them first or run without --strict",
                  nbytes, format_address(pa), format_address(first), first - pa));
}

void MemoryStore::gather(const std::vector<Extent>& extents, std::byte* out) const {
  for (const Extent& extent : extents) {
    read(extent.pa, out, extent.nbytes);
    out += extent.nbytes;
  }
}

void MemoryStore::gather(const std::vector<Extent>& extents, std::vector<std::byte>& bytes) const {
  bytes.resize(total_bytes(extents));
  gather(extents, bytes.data());
}

std::vector<std::byte> MemoryStore::gather(const std::vector<Extent>& extents) const {
  std::vector<std::byte> bytes;
  gather(extents, bytes);
  return bytes;
}

void MemoryStore::scatter(const std::vector<Extent>& extents, const std::byte* bytes) {
  for (const Extent& extent : extents) {
    write(extent.pa, bytes, extent.nbytes);
    bytes += extent.nbytes;
  }
}

}  // namespace kb::data
