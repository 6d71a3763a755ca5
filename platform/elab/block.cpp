#include "platform/elab/block.h"

#include "platform/record/activity_recorder.h"
#include "platform/resource/resource_table.h"

namespace kb::elab {

resource::Resource& Block::declare(resource::Declaration declaration) {
  const topology::Node& record = node_record();
  return context_.resources.declare({node_, record.id, record::ActivityRecorder::group_of(record.sip), record.foreign},
                                    std::move(declaration));
}

void add_statistics(const resource::Resource& resource, std::vector<Statistic>& statistics) {
  const resource::Declaration& declared = resource.declaration();
  const resource::Resource::Sums& sums = resource.sums();
  const auto add_times = [&](const std::string& name, const resource::Resource::UnitSums& unit) {
    for (const auto& [which, time] : {std::pair(".busy", unit.busy), std::pair(".wait", unit.wait)}) {
      Statistic statistic(name + which, time);
      statistic.purpose = declared.name + which;
      statistics.push_back(std::move(statistic));
    }
  };
  if (sums.uses > 0) {
    statistics.push_back({declared.name + ".uses", static_cast<std::int64_t>(sums.uses), "1"});
    statistics.push_back({declared.name + ".bytes", static_cast<std::int64_t>(sums.bytes), "B"});
  }
  for (std::uint32_t unit = 0; unit < declared.units; ++unit) {
    const resource::Resource::UnitSums& one = resource.units()[unit];
    const bool used = declared.units == 1 ? sums.uses > 0 : one.busy > 0_fs || one.wait > 0_fs;
    if (used) add_times(declared.label(unit), one);
  }
  for (std::size_t cause = 0; declared.causes.size() > 1 && cause < declared.causes.size(); ++cause) {
    if (sums.waits[cause] == 0_fs) continue;
    statistics.push_back({declared.name + ".wait." + declared.causes[cause].name, sums.waits[cause]});
  }
}

}  // namespace kb::elab
