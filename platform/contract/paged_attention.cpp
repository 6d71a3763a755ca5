#include "platform/contract/paged_attention.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "platform/base/error.h"

namespace kb::contract {
namespace {

std::int64_t pages_of(std::int64_t tokens, std::int64_t page) {
  return (tokens + page - 1) / page;
}

struct Page {
  std::int64_t sequence, block, begin, end;  // keys [begin, end) of the block
  std::int64_t owner;
};

void check_sequence(const PagedSequence& sequence, std::size_t number, const PagedCache& cache) {
  const auto refuse = [&](const std::string& what) {
    throw Error::program("VALUE_ERROR", fmt::format("sequence {}: {}", number, what));
  };
  if (sequence.tokens < 1 || sequence.context < sequence.tokens) {
    refuse(fmt::format("{} new tokens in a context of {}", sequence.tokens, sequence.context));
  }
  const auto pages = static_cast<std::size_t>(pages_of(sequence.context, cache.page));
  if (sequence.blocks.size() < pages) {
    refuse(fmt::format("{} tokens need {} blocks of {}; the table has {}", sequence.context, pages, cache.page,
                       sequence.blocks.size()));
  }
  for (std::size_t i = 0; i < pages; ++i) {
    const std::int64_t block = sequence.blocks[i];
    if (block >= 0 && block < cache.blocks) continue;
    refuse(fmt::format("page {} is block {}; the cache has blocks 0 to {}", i, block, cache.blocks - 1));
  }
}

// Begins with the PE's own pages of each sequence, so that PEs do not read the same slice at the same time.
std::vector<Page> from_own_on(std::vector<Page> pages, std::int64_t owner) {
  for (auto begin = pages.begin(); begin != pages.end();) {
    const std::int64_t sequence = begin->sequence;
    const auto end = std::find_if(begin, pages.end(), [&](const Page& page) { return page.sequence != sequence; });
    std::rotate(begin, std::find_if(begin, end, [&](const Page& page) { return page.owner >= owner; }), end);
    begin = end;
  }
  return pages;
}

// The pages that the newest token sees, by cube, in the order in which they are dealt to its PEs.
std::vector<std::vector<Page>> pages_by_cube(const std::vector<PagedSequence>& sequences, const PagedCache& cache,
                                             std::int64_t window) {
  std::vector<std::vector<Page>> out(static_cast<std::size_t>(cache.machine.cubes));
  for (std::size_t s = 0; s < sequences.size(); ++s) {
    const std::int64_t context = sequences[s].context,
                       first = window > 0 ? std::max<std::int64_t>(0, context - window) : 0;
    for (std::int64_t i = first / cache.page; i < pages_of(context, cache.page); ++i) {
      const std::int64_t start = i * cache.page, block = sequences[s].blocks[static_cast<std::size_t>(i)];
      const std::int64_t owner = cache.owner(block);
      out[static_cast<std::size_t>(owner / cache.machine.pes)].push_back(
          {static_cast<std::int64_t>(s), block, std::max<std::int64_t>(0, first - start),
           std::min(cache.page, context - start), owner});
    }
  }
  for (std::vector<Page>& pages : out) {
    std::stable_sort(pages.begin(), pages.end(), [](const Page& a, const Page& b) {
      return a.sequence != b.sequence ? a.sequence < b.sequence : a.owner < b.owner;
    });
  }
  return out;
}

struct Holders {
  std::int64_t first = 0, count = 0, slot = 0;
};

// Who has pages of each sequence in a cube, of the `width` PEs of a group.
std::vector<Holders> holders_of(const std::vector<Page>& pages, std::size_t sequences, const DecodeGrid& grid,
                                std::int64_t width) {
  std::vector<Holders> out(sequences);
  const EvenParts parts(static_cast<std::int64_t>(pages.size()), width);
  for (std::int64_t pe = 0; pe < width; ++pe) {
    std::int64_t segment = -1, before = -1;
    for (std::int64_t i = parts.first(pe); i < parts.first(pe + 1); ++i) {
      const std::int64_t sequence = pages[static_cast<std::size_t>(i)].sequence;
      if (sequence == before) continue;
      before = sequence;
      ++segment;
      Holders& its = out[static_cast<std::size_t>(sequence)];
      if (its.count++ == 0) its = {pe, 1, grid.slot(segment)};
    }
  }
  return out;
}

}  // namespace

std::int64_t PagedCache::owner(std::int64_t block) const {
  const EvenParts by_cube(blocks, machine.cubes);
  const std::int64_t cube = by_cube.part_of(block);
  return cube * machine.pes + EvenParts(by_cube.size(cube), machine.pes).part_of(block - by_cube.first(cube));
}

std::vector<std::vector<std::int64_t>> canonical_tables(const std::vector<std::int64_t>& contexts,
                                                        const PagedCache& cache) {
  const std::int64_t cubes = cache.machine.cubes, all = cubes * cache.machine.pes;
  std::int64_t needed = 0;
  for (const std::int64_t context : contexts) needed += pages_of(context, cache.page);
  if (needed > cache.blocks) {
    throw Error::program("VALUE_ERROR", fmt::format("{} blocks of {} tokens are needed; the cache has {}", needed,
                                                    cache.page, cache.blocks));
  }
  const EvenParts by_cube(cache.blocks, cubes);
  std::vector<std::int64_t> next, end;  // by PE, cubes first
  for (std::int64_t i = 0; i < all; ++i) {
    const EvenParts by_pe(by_cube.size(i % cubes), cache.machine.pes);
    next.push_back(by_cube.first(i % cubes) + by_pe.first(i / cubes));
    end.push_back(next.back() + by_pe.size(i / cubes));
  }
  std::vector<std::vector<std::int64_t>> out;
  std::size_t at = 0;
  for (const std::int64_t context : contexts) {
    out.emplace_back();
    for (std::int64_t i = 0; i < pages_of(context, cache.page); ++i) {
      while (next[at] == end[at]) at = (at + 1) % next.size();
      out.back().push_back(next[at]++);
      at = (at + 1) % next.size();
    }
  }
  return out;
}

IntegerMatrix token_positions(const std::vector<PagedSequence>& sequences, std::int64_t rows) {
  IntegerMatrix out{1, rows, std::vector<std::int64_t>(static_cast<std::size_t>(rows))};
  for (const PagedSequence& sequence : sequences) {
    for (std::int64_t i = 0; i < sequence.tokens; ++i) {
      out.values.at(static_cast<std::size_t>(sequence.first_row + i)) = sequence.context - sequence.tokens + i;
    }
  }
  return out;
}

IntegerMatrix token_slots(const std::vector<PagedSequence>& sequences, const PagedCache& cache, std::int64_t rows) {
  IntegerMatrix out{1, rows, std::vector<std::int64_t>(static_cast<std::size_t>(rows), -1)};
  for (std::size_t s = 0; s < sequences.size(); ++s) {
    const PagedSequence& sequence = sequences[s];
    check_sequence(sequence, s, cache);
    for (std::int64_t i = 0; i < sequence.tokens; ++i) {
      const std::int64_t position = sequence.context - sequence.tokens + i;
      const std::int64_t block = sequence.blocks[static_cast<std::size_t>(position / cache.page)];
      out.values.at(static_cast<std::size_t>(sequence.first_row + i)) = block * cache.page + position % cache.page;
    }
  }
  return out;
}

IntegerMatrix chunk_rows(const std::vector<PagedSequence>& sequences) {
  IntegerMatrix out{static_cast<std::int64_t>(sequences.size()), 4, {}};
  for (const PagedSequence& sequence : sequences) {
    out.values.insert(out.values.end(), {sequence.first_row, sequence.tokens, sequence.context, 0});
  }
  return out;
}

IntegerMatrix chunk_tables(const std::vector<PagedSequence>& sequences) {
  std::size_t longest = 1;
  for (const PagedSequence& sequence : sequences) longest = std::max(longest, sequence.blocks.size());
  IntegerMatrix out{static_cast<std::int64_t>(sequences.size()), static_cast<std::int64_t>(longest), {}};
  for (const PagedSequence& sequence : sequences) {
    out.values.insert(out.values.end(), sequence.blocks.begin(), sequence.blocks.end());
    out.values.resize(out.values.size() + longest - sequence.blocks.size());
  }
  return out;
}

AttentionRecord::AttentionRecord(std::int64_t heads, std::int64_t d, std::int64_t cubes, std::int64_t groups)
    : columns_(heads * d, cubes), d_(d), group_columns_(heads / groups * d) {
  constexpr std::int64_t kAligned = 4;  // 16 bytes
  for (std::int64_t cube = 0; cube < cubes; ++cube) {
    most_groups_ = std::max(most_groups_, this->groups(cube));
    for (std::int64_t i = 0; i < this->groups(cube); ++i) {
      const std::int64_t group = first_group(cube) + i;
      const std::int64_t numbers = columns(group, cube) + 2 * this->heads(group, cube);
      size_ = std::max(size_, (numbers + kAligned - 1) / kAligned * kAligned);
    }
  }
}

std::int64_t AttentionRecord::heads(std::int64_t group, std::int64_t cube) const {
  const std::int64_t first = first_column(group, cube), count = columns(group, cube);
  return count == 0 ? 0 : (first + count - 1) / d_ - first / d_ + 1;
}

std::int64_t decode_scratch_length(std::int64_t sequences, std::int64_t heads, std::int64_t kv_heads, std::int64_t d,
                                   const AttentionMachine& machine) {
  const HeadGroups groups(kv_heads, machine.pes);
  const AttentionRecord record(heads, d, machine.cubes, groups.count);
  return DecodeGrid(sequences, machine, groups).records(record) * record.size();
}

std::int64_t keys_per_step(std::int64_t page, std::int64_t key_bytes, std::int64_t scratch_bytes) {
  constexpr std::int64_t kEnough = 64 << 10;  // bytes of K that hide the latency of a load
  // The buffers of K and V take half of the scratch at most.
  const std::int64_t most = scratch_bytes / (4 * (kPagedAhead + 1));
  return std::max(page, std::min(kEnough, most) / key_bytes / page * page);
}

std::vector<std::int64_t> runs_per_step(const std::vector<std::int64_t>& counts, std::int64_t keys, bool short_last) {
  constexpr std::int64_t kShort = 128;  // keys of a short step
  std::vector<std::int64_t> out;
  std::int64_t room = 0, taken = 0;
  for (const std::int64_t count : counts) {
    if (out.empty() || count > room) {
      room = keys;
      taken = 0;
      out.push_back(0);
    }
    ++out.back();
    room -= count;
    taken += count;
  }
  if (!short_last || taken <= kShort) return out;
  std::int64_t runs = 0, last = 0;
  for (auto count = counts.rbegin(); count != counts.rend() && last + *count <= kShort; ++count, ++runs) last += *count;
  if (runs == 0 || runs == out.back()) return out;
  out.back() -= runs;
  out.push_back(runs);
  return out;
}

IntegerMatrix decode_work(const std::vector<PagedSequence>& sequences, const PagedCache& cache, std::int64_t kv_heads,
                          std::int64_t window) {
  if (sequences.empty()) throw Error::program("VALUE_ERROR", "decode needs a sequence");
  for (std::size_t s = 0; s < sequences.size(); ++s) {
    check_sequence(sequences[s], s, cache);
    if (sequences[s].tokens == 1) continue;
    throw Error::program("VALUE_ERROR", fmt::format("sequence {} has {} new tokens; decode has one per sequence", s,
                                                    sequences[s].tokens));
  }
  const std::vector<std::vector<Page>> by_cube = pages_by_cube(sequences, cache, window);
  const HeadGroups groups(kv_heads, cache.machine.pes);
  const DecodeGrid grid(static_cast<std::int64_t>(sequences.size()), cache.machine, groups);
  std::vector<std::vector<std::int64_t>> rows;
  std::size_t longest = 0;
  for (const std::vector<Page>& pages : by_cube) {
    const std::vector<Holders> holders = holders_of(pages, sequences.size(), grid, groups.width);
    const EvenParts parts(static_cast<std::int64_t>(pages.size()), groups.width);
    for (std::int64_t pe = 0; pe < cache.machine.pes; ++pe) {
      const std::int64_t place = pe % groups.width, group_begin = pe - place;
      std::vector<std::int64_t> row{static_cast<std::int64_t>(sequences.size()), parts.size(place)};
      for (std::size_t s = 0; s < sequences.size(); ++s) {
        row.insert(row.end(),
                   {sequences[s].first_row, group_begin + holders[s].first, holders[s].count, holders[s].slot});
      }
      const std::vector<Page> own(pages.begin() + parts.first(place), pages.begin() + parts.first(place + 1));
      const auto owner = static_cast<std::int64_t>(rows.size());
      for (const Page& page : from_own_on(own, owner)) {
        row.insert(row.end(), {page.sequence, page.block, page.begin, page.end});
      }
      longest = std::max(longest, row.size());
      rows.push_back(std::move(row));
    }
  }
  IntegerMatrix out{static_cast<std::int64_t>(rows.size()), static_cast<std::int64_t>(longest), {}};
  for (std::vector<std::int64_t>& row : rows) {
    row.resize(longest);
    out.values.insert(out.values.end(), row.begin(), row.end());
  }
  return out;
}

}  // namespace kb::contract
