#include "tests/machine/cli/command_line.h"

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "tests/support/sqlite_rows.h"

namespace kb::test {
namespace {

namespace fs = std::filesystem;

std::string slurp(const fs::path& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

}  // namespace

void CommandLineTest::SetUp() {
  std::string pattern = (fs::temp_directory_path() / "kb_cli_XXXXXX").string();
  ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
  folder_ = pattern;
  fs::create_directories(folder_ + ".io");
}

void CommandLineTest::TearDown() {
  fs::remove_all(folder_);
  fs::remove_all(folder_ + ".io");
}

Outcome CommandLineTest::program(const std::string& name, const std::string& arguments,
                                 const std::string& prefix) const {
  const std::string out = folder_ + ".io/out", err = folder_ + ".io/err";
  const std::string command = "cd '" + folder_ + "' && { " + prefix + " " + KB_PROGRAM_FOLDER + "/" + name + " " +
                              arguments + " ; } >'" + out + "' 2>'" + err + "' </dev/null";
  const int status = std::system(command.c_str());
  const int code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return {code, slurp(out), slurp(err)};
}

Outcome CommandLineTest::kernbench(const std::string& arguments, const std::string& prefix) const {
  return program("kernbench", arguments, prefix);
}

nlohmann::json CommandLineTest::json(const std::string& arguments) const {
  const Outcome outcome = kernbench(arguments);
  EXPECT_EQ(outcome.code, 0) << arguments << "\n" << outcome.err;
  nlohmann::json document = nlohmann::json::parse(outcome.out, nullptr, false);
  EXPECT_FALSE(document.is_discarded()) << arguments << " printed\n" << outcome.out.substr(0, 2000);
  return document;
}

nlohmann::json CommandLineTest::detailed(const std::string& name) const {
  nlohmann::json result = nlohmann::json::parse(read(name + "/result.json"), nullptr, false);
  if (!result.is_object()) return result;
  const std::string database = folder_ + "/" + name + "/ops.sqlite";
  const auto ns = [](const std::string& fs_text) { return static_cast<double>(std::stoll(fs_text)) / 1e6; };
  result["blocks"] = nlohmann::json::object();
  for (const auto& row : sql_rows(database, "SELECT block, name, value, unit FROM block_statistic")) {
    nlohmann::json& entry = result["blocks"][row[0]][row[1]];
    entry["unit"] = row[3];
    entry["value"] = row[3] == "ns" ? nlohmann::json(ns(row[2])) : nlohmann::json(std::stoll(row[2]));
  }
  for (nlohmann::json& launch : result["launches"]) {
    const std::string of_launch = " WHERE launch_id = " + launch["id"].dump() + " AND sip = " + launch["sip"].dump();
    launch["per_pe"] = nlohmann::json::array();
    launch["blocks"] = nlohmann::json::object();
    for (const auto& row : sql_rows(
             database, "SELECT cube, pe, start_fs, exec_fs, dma_fs, compute_fs, late_fs FROM launch_pe" + of_launch)) {
      launch["per_pe"].push_back({{"cube", std::stoi(row[0])},
                                  {"pe", std::stoi(row[1])},
                                  {"start_ns", ns(row[2])},
                                  {"exec_ns", ns(row[3])},
                                  {"dma_ns", ns(row[4])},
                                  {"compute_ns", ns(row[5])},
                                  {"late_ns", ns(row[6])}});
    }
    for (const auto& row :
         sql_rows(database, "SELECT block, resource, busy_fs, wait_fs, bytes FROM launch_use" + of_launch)) {
      launch["blocks"][row[0]][row[1]] = {
          {"busy_ns", ns(row[2])}, {"wait_ns", ns(row[3])}, {"bytes", std::stoll(row[4])}};
    }
  }
  return result;
}

std::string CommandLineTest::write(const std::string& name, const std::string& text) const {
  std::ofstream(fs::path(folder_) / name) << text;
  return name;
}

std::string CommandLineTest::read(const std::string& name) const {
  return slurp(fs::path(folder_) / name);
}

std::vector<std::string> CommandLineTest::files() const {
  std::vector<std::string> names;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder_)) {
    names.push_back(fs::relative(entry.path(), folder_).generic_string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

std::string CommandLineTest::config(const std::string& name) {
  return std::string(KB_SOURCE_DIR) + "/configs/" + name + ".yaml";
}

std::string CommandLineTest::read_config(const std::string& name) {
  return slurp(config(name));
}

std::string CommandLineTest::signalled_when(const std::string& signal, const std::string& pattern) {
  const std::string quiet = " >/dev/null 2>&1";
  return "sh -c '\"$@\" & pid=$!; until find " + pattern + " -size +0 2>/dev/null | grep -q . || ! kill -0 $pid" +
         quiet + "; do sleep 0.01; done; kill -s " + signal + " $pid" + quiet + "; wait $pid' sh";
}

nlohmann::json without_host(nlohmann::json result) {
  result.erase("host");
  return result;
}

}  // namespace kb::test
