#include "modules/pe/baaw.h"

#include "platform/address/address_space.h"

namespace kb::modules {

using address::AddressSpace;

std::optional<std::uint64_t> Baaw::translate(const Extent& extent, std::vector<Extent>& physical) const {
  const AddressSpace space = address::space_of(extent.pa);
  if (address::is_resolved(space)) {
    physical.push_back(extent);
    return std::nullopt;
  }
  if (space != AddressSpace::la) return extent.pa;
  const auto miss = table_.lookup(address::LogicalAddr(address::value_of(extent.pa)), extent.nbytes, physical);
  if (!miss) return std::nullopt;
  return address::encode(AddressSpace::la, miss->value);
}

bool Baaw::apply(const payload::Message* message) {
  if (const auto* install = std::get_if<payload::BaawSegmentInstallMsg>(message)) {
    table_.install(install->segments);
    ++installs_;
    segments_ += static_cast<std::int64_t>(install->segments->regions().size());
    return true;
  }
  if (const auto* removal = std::get_if<payload::BaawSegmentRemoveMsg>(message)) {
    table_.remove(removal->la_base, removal->la_size);
    ++removals_;
    return true;
  }
  return false;
}

void Baaw::collect_statistics(std::vector<elab::Statistic>& statistics) const {
  if (installs_ + removals_ == 0) return;
  statistics.push_back({"segment_installs", installs_, "1"});
  statistics.push_back({"segment_removals", removals_, "1"});
  statistics.push_back({"segments", segments_, "1"});
}

}  // namespace kb::modules
