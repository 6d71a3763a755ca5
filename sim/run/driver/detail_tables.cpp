#include "sim/run/driver/detail_tables.h"

#include <initializer_list>
#include <optional>
#include <string>
#include <utility>

#include "platform/base/names.h"
#include "platform/contract/completion.h"
#include "platform/contract/share_words.h"
#include "platform/data/op_log_sqlite.h"
#include "platform/data/sqlite_file.h"
#include "platform/data/table_sqlite.h"
#include "sim/analysis/findings/limiter.h"
#include "sim/result/launch_parts.h"
#include "sim/run/driver/run_description.h"

namespace kb::sim {
namespace {

constexpr const char* kTables = R"sql(
CREATE TABLE launch (
  id INTEGER NOT NULL, sip INTEGER NOT NULL, kernel TEXT NOT NULL, label TEXT NOT NULL, ok INTEGER NOT NULL,
  error_code TEXT, error_message TEXT, submit_fs INTEGER NOT NULL, start_fs INTEGER, completed_fs INTEGER,
  exec_min_fs INTEGER NOT NULL, exec_max_fs INTEGER NOT NULL, dma_fs INTEGER NOT NULL, compute_fs INTEGER NOT NULL,
  macs INTEGER NOT NULL, useful_macs INTEGER NOT NULL, late_pes INTEGER NOT NULL, max_late_fs INTEGER NOT NULL,
  last_pe TEXT, limiter TEXT, PRIMARY KEY (id, sip)) WITHOUT ROWID;
CREATE TABLE launch_part (
  launch_id INTEGER NOT NULL, sip INTEGER NOT NULL, kind TEXT NOT NULL, name TEXT NOT NULL, time_fs INTEGER NOT NULL,
  PRIMARY KEY (launch_id, sip, kind, name)) WITHOUT ROWID;
CREATE TABLE launch_pe (
  launch_id INTEGER NOT NULL, sip INTEGER NOT NULL, cube INTEGER NOT NULL, pe INTEGER NOT NULL,
  start_fs INTEGER NOT NULL, exec_fs INTEGER NOT NULL, dma_fs INTEGER NOT NULL, compute_fs INTEGER NOT NULL,
  late_fs INTEGER NOT NULL, PRIMARY KEY (launch_id, sip, cube, pe)) WITHOUT ROWID;
CREATE TABLE launch_use (
  launch_id INTEGER NOT NULL, sip INTEGER NOT NULL, block TEXT NOT NULL, resource TEXT NOT NULL,
  busy_fs INTEGER NOT NULL, wait_fs INTEGER NOT NULL, bytes INTEGER NOT NULL,
  PRIMARY KEY (launch_id, sip, block, resource)) WITHOUT ROWID;
CREATE TABLE place (
  id INTEGER PRIMARY KEY, file TEXT NOT NULL, line INTEGER NOT NULL, call TEXT NOT NULL, range TEXT NOT NULL,
  tensor TEXT NOT NULL);
CREATE TABLE source (file TEXT PRIMARY KEY, text TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE line_time (
  launch_id INTEGER NOT NULL, sip INTEGER NOT NULL, place_id INTEGER NOT NULL, held_by INTEGER NOT NULL,
  share TEXT NOT NULL, all_pes_fs INTEGER NOT NULL, last_pe_fs INTEGER NOT NULL,
  PRIMARY KEY (launch_id, sip, place_id, held_by, share)) WITHOUT ROWID;
CREATE TABLE line_use (
  launch_id INTEGER NOT NULL, sip INTEGER NOT NULL, place_id INTEGER NOT NULL, role TEXT NOT NULL,
  busy_fs INTEGER NOT NULL, wait_fs INTEGER NOT NULL, bytes INTEGER NOT NULL, most_at TEXT, most_wait_fs INTEGER NOT NULL,
  PRIMARY KEY (launch_id, sip, place_id, role)) WITHOUT ROWID;
CREATE TABLE block_statistic (
  block TEXT NOT NULL, kind TEXT NOT NULL, name TEXT NOT NULL, value INTEGER NOT NULL, unit TEXT NOT NULL,
  PRIMARY KEY (block, name)) WITHOUT ROWID;
)sql";

// Only on machines with coefficients.
constexpr const char* kEnergyTable = R"sql(
CREATE TABLE line_energy (
  launch_id INTEGER NOT NULL, sip INTEGER NOT NULL, place_id INTEGER NOT NULL, part TEXT NOT NULL,
  energy_fj INTEGER NOT NULL, low_fj INTEGER NOT NULL, high_fj INTEGER NOT NULL,
  PRIMARY KEY (launch_id, sip, place_id, part)) WITHOUT ROWID;
)sql";

using Cell = data::TableCell;

Cell time_cell(TimeFs time) {
  return time == kNever ? Cell() : Cell(time.fs());
}

Cell text_cell(const std::string& text) {
  return text.empty() ? Cell() : Cell(text);
}

class Rows {
 public:
  Rows(data::SqliteFile& file, const std::string& table, std::size_t columns)
      : file_(file), statement_(file.prepare(insert_sql(table, columns))) {}

  void add(std::initializer_list<Cell> cells) {
    int column = 0;
    for (const Cell& cell : cells) data::bind_cell(statement_.get(), ++column, cell);
    file_.execute(statement_);
  }

 private:
  static std::string insert_sql(const std::string& table, std::size_t columns) {
    std::string sql = "INSERT INTO " + table + " VALUES (?";
    for (std::size_t i = 1; i < columns; ++i) sql += ",?";
    return sql + ")";
  }

  data::SqliteFile& file_;
  data::SqliteFile::Statement statement_;
};

std::int64_t number(std::uint64_t value) {
  return static_cast<std::int64_t>(value);
}

void add_launches(const RunRecord& run, data::SqliteFile& file) {
  Rows rows(file, "launch", 20);
  for (const LaunchRecord& launch : run.launches) {
    const contract::LaunchSummary& summary = launch.summary;
    const std::optional<Limiter> limiter = limiter_of(launch);
    const LaunchRecord::LastEndingPe* const last = launch.last_pe();
    rows.add({number(launch.id),
              launch.sip.value,
              launch.kernel,
              launch.label,
              std::int64_t{launch.ok},
              text_cell(launch.error_code),
              text_cell(launch.error_message),
              launch.submitted.fs(),
              time_cell(launch.start),
              time_cell(launch.completed),
              summary.exec_min.fs(),
              summary.exec_max.fs(),
              summary.dma_max.fs(),
              summary.compute_max.fs(),
              summary.macs,
              summary.useful_macs,
              number(summary.late_pes),
              summary.late_max.fs(),
              last == nullptr ? Cell() : Cell(pe_name(last->pe)),
              limiter ? Cell(limiter->name) : Cell()});
  }
}

void add_parts(const RunRecord& run, data::SqliteFile& file) {
  Rows rows(file, "launch_part", 5);
  for (const LaunchRecord& launch : run.launches) {
    const LaunchRecord::LastEndingPe* const last = launch.last_pe();
    if (last == nullptr) continue;
    const auto add = [&](const char* kind, const DisplayText& word, TimeFs time) {
      rows.add(
          {number(launch.id), std::int64_t{launch.sip.value}, std::string(kind), std::string(word.name), time.fs()});
    };
    const auto parts = launch_parts(launch);
    for (const std::size_t i : launch_part_indices()) {
      if (!is_plugin_part(i) || parts[i] > 0_fs) add("part", launch_part(i), parts[i]);
    }
    for (std::size_t i = 0; i < contract::kPeResources; ++i) {
      add("busy", word_of(static_cast<contract::PeResource>(i)), last->shares.busy[i]);
    }
  }
}

void add_pes(const RunRecord& run, data::SqliteFile& file) {
  Rows rows(file, "launch_pe", 9);
  for (const LaunchRecord& launch : run.launches) {
    for (const contract::PeResult& pe : launch.pes) {
      rows.add({number(launch.id), std::int64_t{launch.sip.value}, std::int64_t{pe.pe.cube.value},
                std::int64_t{pe.pe.pe.value}, pe.start.fs(), pe.exec.fs(), pe.dma.fs(), pe.compute.fs(), pe.late.fs()});
    }
  }
}

void add_uses(const RunRecord& run, data::SqliteFile& file) {
  Rows rows(file, "launch_use", 7);
  for (const LaunchRecord& launch : run.launches) {
    for (const ResourceUse& use : launch.uses) {
      const ResourceName& name = run.resources[use.resource];
      rows.add({number(launch.id), std::int64_t{launch.sip.value}, name.block, name.resource, use.busy.fs(),
                use.wait.fs(), number(use.bytes)});
    }
  }
}

void add_lines(const RunRecord& run, data::SqliteFile& file) {
  Rows places(file, "place", 6);
  for (std::size_t i = 0; i < run.places.size(); ++i) {
    const SourcePlace& place = run.places[i];
    places.add({number(i), place.file, std::int64_t{place.line}, place.call, place.range, place.tensor});
  }
  Rows sources(file, "source", 2);
  for (const SourceFile& source : run.sources) sources.add({source.file, source.text});
  Rows times(file, "line_time", 7);
  Rows uses(file, "line_use", 9);
  for (const LaunchRecord& launch : run.launches) {
    for (const LineTimeRecord& one : launch.lines) {
      times.add({number(launch.id), std::int64_t{launch.sip.value}, std::int64_t{one.line}, std::int64_t{one.held_by},
                 std::string(contract::word_of(one.share).name), one.sum.fs(), one.last.fs()});
    }
    for (const PlaceUseRecord& one : launch.transfers) {
      const ResourceName* const most = one.most_wait > 0_fs ? &run.resources[one.most] : nullptr;
      uses.add({number(launch.id), std::int64_t{launch.sip.value}, std::int64_t{one.place},
                std::string(word_of(one.role).name), one.sums.busy.fs(), one.sums.wait.fs(), number(one.sums.bytes),
                most == nullptr ? Cell() : Cell(most->block + '.' + most->resource), one.most_wait.fs()});
    }
  }
}

void add_energy(const RunRecord& run, data::SqliteFile& file) {
  if (!run.energy) return;
  file.run(kEnergyTable);
  Rows rows(file, "line_energy", 7);
  for (const PlaceEnergy& one : run.energy->places) {
    const LaunchRecord& launch = run.launches[one.launch];
    rows.add({number(launch.id), std::int64_t{launch.sip.value}, std::int64_t{one.place},
              run.energy->parts[one.part].name, number(one.energy.value), number(one.energy.low),
              number(one.energy.high)});
  }
}

void add_statistics(const RunRecord& run, data::SqliteFile& file) {
  Rows rows(file, "block_statistic", 5);
  for (const BlockRecord& block : run.blocks) {
    for (const StatisticRecord& one : block.statistics) {
      rows.add({block.node, block.kind, one.name, one.value, one.unit});
    }
  }
}

}  // namespace

void add_detail_tables(const RunRecord& run, observe::OutputFile& operations) {
  data::SqliteFile file(operations);
  file.run(kTables);
  add_launches(run, file);
  add_parts(run, file);
  add_pes(run, file);
  add_uses(run, file);
  add_lines(run, file);
  add_statistics(run, file);
  add_energy(run, file);
  file.finish();
}

void write_empty_log(const RunRecord& run, observe::OutputFile& operations) {
  data::OpLog::Options options;
  options.facts = log_facts(run);
  data::OpLogSqlite(operations, std::move(options)).finish();
}

}  // namespace kb::sim
