// Requests of outside models take the times of rows of `kernbench traffic`, whatever the style of the models and
// whatever else goes on in the simulation.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <map>
#include <memory>
#include <random>

#include "platform/address/phys_addr.h"
#include "sim/ports/device/device.h"
#include "sim/ports/traffic/traffic.h"
#include "sim/study/process/isolate.h"
#include "tests/machine/device/initiators.h"
#include "tests/support/random_machine.h"

namespace kb {
namespace {

using Times = std::vector<std::uint64_t>;  // fs, by row

std::string pack(const Times& times) {
  return {reinterpret_cast<const char*>(times.data()), times.size() * sizeof(std::uint64_t)};
}
Times unpack(const std::string& bytes) {
  Times times(bytes.size() / sizeof(std::uint64_t));
  std::memcpy(times.data(), bytes.data(), bytes.size());
  return times;
}

struct Case {
  std::string yaml;
  std::vector<sim::TraceRow> rows;
  std::vector<std::string> sources;  // node by row
};

std::string source_of(const sim::TraceRow& row) {
  if (!sim::is_pe_op(row.op)) {
    return "sip" + std::to_string(address::PhysAddr::decode(row.dst).sip().value) + ".io0.pcie_ep";
  }
  return "sip" + std::to_string(row.src.sip.value) + ".cube" + std::to_string(row.src.cube.value) + ".pe" +
         std::to_string(row.src.pe.value) + ".pe_dma";
}

Case random_case(unsigned seed, int count) {
  std::mt19937 random(seed);
  Case one;
  one.yaml = test::random_machine_yaml(random);
  one.rows = test::random_rows(random, topology::load_text(one.yaml, "random machine").graph, count);
  std::stable_sort(one.rows.begin(), one.rows.end(),
                   [](const sim::TraceRow& a, const sim::TraceRow& b) { return a.issue < b.issue; });
  for (const sim::TraceRow& row : one.rows) one.sources.push_back(source_of(row));
  return one;
}

// A PE's requests enter 1 fs after their time, because PE_DMA's fabric side has no overhead that would hide it.
Times traffic_times(Case one) {
  for (sim::TraceRow& row : one.rows) row.issue += sim::is_pe_op(row.op) ? 1_fs : 0_fs;
  Times times;
  for (const sim::TrafficResult& r : sim::run_traffic(topology::load_text(one.yaml, "random machine"), one.rows)) {
    times.push_back(static_cast<std::uint64_t>(r.completed.fs()));
  }
  return times;
}

struct Setting {
  bool phases = false;    // AT, else LT
  bool early = false;     // calls come before their time, with a delay
  bool vary = false;      // responses end in several ways
  bool reversed = false;  // initiators are made in the other order
  bool stepped = false;
  bool clock = false;
  bool free_running = false;
  int devices = 1;
  bool recorded = false;  // with a run folder
};

std::string run_folder() {
  return testing::TempDir() + "equality." + std::to_string(::getpid());
}

class Clocked : public sc_core::sc_module {
 public:
  explicit Clocked(const sc_core::sc_module_name& name) : sc_core::sc_module(name) {
    SC_HAS_PROCESS(Clocked);
    SC_METHOD(tick);
    sensitive << clock.posedge_event();
  }
  void tick() { ++ticks; }
  sc_core::sc_clock clock{"clock", sc_core::sc_time(1, sc_core::SC_NS)};
  std::uint64_t ticks = 0;
};

sc_core::sc_time sc(std::uint64_t fs) {
  return sc_core::sc_time::from_value(fs);
}

// Initiators of one device.
class Crowd {
 public:
  Crowd(const Case& one, const Setting& setting, int number) {
    DeviceConfig config;
    config.topology_text = one.yaml;
    config.data = "off";
    config.free_running = setting.free_running;
    if (setting.recorded) config.result = run_folder();
    config.targets.clear();
    std::map<std::string, std::vector<test::Transfer>> by_source;
    for (std::size_t i = 0; i < one.rows.size(); ++i) {
      const sim::TraceRow& row = one.rows[i];
      test::Transfer transfer;
      transfer.at = sc(static_cast<std::uint64_t>(row.issue.fs()));
      transfer.write = !sim::is_read_op(row.op);
      transfer.address = row.dst;
      transfer.data.resize(row.bytes);
      transfer.id = i;
      by_source[one.sources[i]].push_back(std::move(transfer));
    }
    std::vector<std::string> names;
    for (const auto& entry : by_source) names.push_back(entry.first);
    for (std::size_t i = 0; i < names.size(); ++i) {
      DeviceTarget target;
      target.name = "port" + std::to_string(i);
      target.attach = names[i];
      target.max_outstanding = 1 << 20;
      config.targets.push_back(target);
    }
    const std::string tail = std::to_string(number);
    device_ = std::make_unique<Device>(("device" + tail).c_str(), config);
    const sc_core::sc_time early = setting.early ? sc(1'700'000) : sc_core::SC_ZERO_TIME;
    for (std::size_t k = 0; k < names.size(); ++k) {
      const std::size_t i = setting.reversed ? names.size() - 1 - k : k;
      const std::string name = "initiator" + tail + "_" + std::to_string(i);
      Device::TargetSocket& socket = device_->target("port" + std::to_string(i));
      if (setting.phases) {
        at_.push_back(std::make_unique<test::AtInitiator>(name.c_str(), by_source[names[i]], early, setting.vary));
        at_.back()->socket.bind(socket);
      } else {
        lt_.push_back(std::make_unique<test::LtInitiator>(name.c_str(), by_source[names[i]], early));
        lt_.back()->socket.bind(socket);
      }
    }
  }

  Times times(std::size_t rows) const {
    Times times(rows);
    const auto collect = [&](const std::vector<test::Transfer>& transfers) {
      for (const test::Transfer& transfer : transfers) {
        times[transfer.id] = transfer.status == tlm::TLM_OK_RESPONSE ? transfer.completed.value() : 0;
      }
    };
    for (const auto& initiator : lt_) collect(initiator->transfers());
    for (const auto& initiator : at_) collect(initiator->transfers());
    return times;
  }
  Device& device() { return *device_; }

 private:
  std::unique_ptr<Device> device_;
  std::vector<std::unique_ptr<test::LtInitiator>> lt_;
  std::vector<std::unique_ptr<test::AtInitiator>> at_;
};

Times device_times(const Case& one, const Setting& setting) {
  std::vector<std::unique_ptr<Crowd>> crowds;
  for (int i = 0; i < setting.devices; ++i) crowds.push_back(std::make_unique<Crowd>(one, setting, i));
  std::unique_ptr<Clocked> clock;
  if (setting.clock) clock = std::make_unique<Clocked>("clocked");
  const sc_core::sc_time end(1, sc_core::SC_MS);
  if (setting.stepped) {
    for (int i = 0; i < 1000 && !crowds.back()->device().failed(); ++i) sc_core::sc_start(sc(777'777'777));
  }
  sc_core::sc_start(end);
  Times all;
  for (const auto& crowd : crowds) {
    const DeviceReport report = crowd->device().finish();
    if (!report.ok || !report.problems.empty() || !crowd->device().idle()) {
      throw Error::model(report.text + " " + report.error_message);
    }
    const Times times = crowd->times(one.rows.size());
    all.insert(all.end(), times.begin(), times.end());
  }
  if (setting.recorded && std::filesystem::remove_all(run_folder()) == 0) throw Error::model("there is no run folder");
  return all;
}

// The long run has seeds of its own.
unsigned number(const char* variable, unsigned fallback) {
  const char* const text = std::getenv(variable);
  return text == nullptr ? fallback : static_cast<unsigned>(std::stoul(text));
}

class Equality : public testing::TestWithParam<unsigned> {};

TEST_P(Equality, OutsideRequestsTakeTheTimesOfTraffic) {
  const Case one = random_case(GetParam(), static_cast<int>(number("KB_ROWS", 300)));
  const std::vector<std::pair<const char*, Setting>> settings = {
      {"LT", {}},
      {"AT", {true}},
      {"LT, early", {false, true}},
      {"AT, early, responses end in several ways", {true, true, true}},
      {"LT, reversed", {false, false, false, true}},
      {"AT, stepped, with a clock", {true, false, false, false, true, true}},
      {"LT, stepped, early, reversed", {false, true, false, true, true}},
      {"AT, free-running", {true, false, false, false, false, false, true}},
      {"LT, two devices", {false, false, false, false, false, true, false, 2}},
      {"AT, recorded", {true, false, false, false, false, false, false, 1, true}},
  };
  std::vector<std::function<std::string()>> jobs = {[&] { return pack(traffic_times(one)); }};
  for (const auto& entry : settings) {
    jobs.push_back([&one, setting = entry.second] {
      sc_core::sc_report_handler::set_handler(sc_core::sc_report_handler::default_handler);
      return pack(device_times(one, setting));
    });
  }
  const std::vector<std::string> answers = sim::run_isolated(jobs);
  const Times expected = unpack(answers[0]);
  for (std::size_t s = 0; s < settings.size(); ++s) {
    const Times actual = unpack(answers[s + 1]);
    ASSERT_EQ(actual.size(), expected.size() * static_cast<std::size_t>(settings[s].second.devices));
    int shown = 0;
    for (std::size_t i = 0; i < actual.size() && shown < 3; ++i) {
      const std::size_t row = i % expected.size();
      if (actual[i] == expected[row]) continue;
      ++shown;
      ADD_FAILURE() << settings[s].first << ": row " << row << " " << sim::trace_op_name(one.rows[row].op) << " "
                    << one.rows[row].bytes << " B issued " << format_ns(one.rows[row].issue) << ": " << actual[i]
                    << " expected " << expected[row];
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, Equality, testing::Range(number("KB_FIRST_SEED", 0), number("KB_END_SEED", 8)));

}  // namespace
}  // namespace kb
