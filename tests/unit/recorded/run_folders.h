// Run folders with known operations.
#pragma once

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <random>
#include <string>
#include <vector>

#include "sim/analysis/recorded/track.h"
#include "sim/result/write.h"
#include "tests/support/named_nodes.h"
#include "tests/unit/data/committed_log.h"
#include "tests/unit/data/support.h"

namespace kb::analysis::test {

struct KnownOp {
  std::uint32_t component = 0;  // position in `kComponents`
  std::uint16_t operation = 0;  // position in `kOperations`
  std::int64_t start_fs = 0, end_fs = 0;
};

inline const std::vector<std::string> kComponents = {"sip0.cube10.pe0.pe_dma", "sip0.cube9.pe0.pe_scheduler",
                                                     "sip0.cube9.pe0.pe_gemm", "sip0.cube9.pe0.pe_dma",
                                                     "sip0.io0.pcie_ep"};
inline const std::vector<std::string> kOperations = {"dma_read", "gemm_f16", "<b>markup</b>"};

// Operations of all kinds on all components, in this order.
inline std::vector<KnownOp> known_ops(std::size_t count, unsigned seed) {
  std::mt19937_64 random(seed);
  std::vector<KnownOp> ops;
  for (std::size_t i = 0; i < count; ++i) {
    const auto start = static_cast<std::int64_t>(random() % 2'000'000'000);
    ops.push_back({static_cast<std::uint32_t>(i % kComponents.size()),
                   static_cast<std::uint16_t>(i % kOperations.size()), start,
                   start + static_cast<std::int64_t>(random() % 9'000'000)});
  }
  return ops;
}

// Lines of a kernel "k" with launches 3 and 4: the load of x at k.cpp:7, in a range, a wait for it at 8, and a product.
// The first three operations belong to the load.
inline const std::string kKnownLines = R"sql(
CREATE TABLE launch (id INTEGER, sip INTEGER, kernel TEXT, label TEXT, ok INTEGER, submit_fs INTEGER, start_fs INTEGER,
  completed_fs INTEGER, dma_fs INTEGER, compute_fs INTEGER, macs INTEGER, useful_macs INTEGER, late_pes INTEGER, max_late_fs INTEGER);
INSERT INTO launch VALUES (3, 0, 'k', '', 1, 0, 0, 2000000000, 0, 0, 0, 0, 0, 0), (4, 0, 'k', '', 1, 2000000000, 2000000000, 4000000000, 0, 0, 0, 0, 0, 0);
CREATE TABLE launch_part (launch_id INTEGER, sip INTEGER, kind TEXT, name TEXT, time_fs INTEGER);
CREATE TABLE place (id INTEGER PRIMARY KEY, file TEXT, line INTEGER, call TEXT, range TEXT, tensor TEXT);
INSERT INTO place VALUES (0, '', 0, '', '', ''), (1, 'a/k.cpp', 7, 'load_async', 'layer 1 / gather', 'x'),
  (2, 'a/k.cpp', 8, 'wait', 'layer 1', ''), (3, 'a/k.cpp', 9, 'dot', '', ''), (4, 'a/other.cpp', 1, 'load', '', 'y');
CREATE TABLE source (file TEXT PRIMARY KEY, text TEXT);
INSERT INTO source VALUES ('a/k.cpp', 'one' || char(10) || '<b>two</b>' || char(10)), ('a/other.cpp', 'not of this kernel');
CREATE TABLE line_time (launch_id INTEGER, sip INTEGER, place_id INTEGER, held_by INTEGER, share TEXT, all_pes_fs INTEGER, last_pe_fs INTEGER);
INSERT INTO line_time VALUES (3, 0, 2, 1, 'dma', 9000000, 5000000), (4, 0, 2, 1, 'dma', 1000000, 500000), (3, 0, 3, 3, 'gemm', 8000000, 4000000);
CREATE TABLE line_use (launch_id INTEGER, sip INTEGER, place_id INTEGER, role TEXT, busy_fs INTEGER, wait_fs INTEGER, bytes INTEGER,
  most_at TEXT, most_wait_fs INTEGER);
INSERT INTO line_use VALUES (3, 0, 1, 'memory', 1000000, 7000000, 64, 'sip0.a.pc0', 6000000),
  (4, 0, 1, 'memory', 1000000, 9000000, 64, 'sip0.a.pc1', 8000000), (3, 0, 1, 'dma', 2000000, 0, 128, NULL, 0);
UPDATE op SET place_id = 1 WHERE seq < 3;
)sql";

class RunFolders : public ::testing::Test {
 protected:
  RunFolders() : root_(std::filesystem::temp_directory_path() / ("kb_web_" + std::to_string(::getpid()))) {
    std::filesystem::remove_all(root_);
    std::filesystem::create_directories(root_);
  }
  ~RunFolders() override { std::filesystem::remove_all(root_); }

  std::string path(const std::string& name) const { return (root_ / name).string(); }
  void write(const std::string& name, const std::string& text) const {
    std::filesystem::create_directories((root_ / name).parent_path());
    std::ofstream(root_ / name, std::ios::binary) << text;
  }
  // A launch of "k" on SIP 0 that began and ended at these times.
  static result::Launch launch(std::uint64_t id, TimeFs submit, TimeFs start, TimeFs completed) {
    result::Launch one;
    one.id = id;
    one.kernel = "k";
    one.submit = submit;
    one.start = start;
    one.completed = completed;
    return one;
  }
  static result::Result result_of(const std::vector<result::Launch>& launches = {}) {
    result::Result result;
    result.data_mode = "off";
    result.launches = launches;
    result.launch_count = launches.size();
    return result;
  }
  void write_result(const std::string& folder, const result::Result& result) const {
    std::string text;
    result::render(result, [&](std::string_view piece) { text += piece; });
    write(folder + "/result.json", text);
  }
  std::string write_ops(const std::string& name, const std::vector<KnownOp>& ops,
                        const std::string& statements = "") const {
    std::filesystem::create_directories((root_ / name).parent_path());
    data::test::CommittedLog log(
        path(name), {kb::test::named_nodes(kComponents), [](std::uint64_t) { return std::string_view("hbm"); }, {}});
    for (std::size_t i = 0; i < ops.size(); ++i) {
      log.record(i, data::test::record(data::OtherOp{kOperations[ops[i].operation]}, i, TimeFs(ops[i].start_fs),
                                       TimeFs(ops[i].end_fs), NodeId(ops[i].component)));
    }
    log.finish(statements);
    return path(name);
  }

 private:
  std::filesystem::path root_;
};

}  // namespace kb::analysis::test
