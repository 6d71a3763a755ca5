#include "sim/web/site.h"

#include <fmt/format.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "platform/base/error.h"
#include "sim/analysis/recorded/machine.h"
#include "sim/analysis/recorded/run_list.h"
#include "sim/analysis/recorded/serving_folder.h"
#include "sim/analysis/recorded/step_file.h"
#include "sim/analysis/recorded/sweep_folder.h"
#include "sim/study/files/json_file.h"
#include "sim/web/answer.h"
#include "sim/web/assets.h"
#include "sim/web/open_run.h"
#include "sim/web/open_runs.h"

namespace kb::web {
namespace {

namespace fs = std::filesystem;
using analysis::RunList;
using analysis::ServingFolder;
using analysis::StepFile;
using analysis::SweepFolder;
using observe::JsonWriter;

constexpr std::size_t kMaxBytes = std::size_t{1} << 30;

std::string last_name(const std::string& place) {
  std::error_code ignored;
  const fs::path full = fs::weakly_canonical(place, ignored);
  return full.filename().empty() ? full.string() : full.filename().string();
}

HttpResponse json_text(std::string text) {
  HttpResponse response;
  response.body = std::move(text);
  return response;
}

HttpResponse no_such_page() {
  return error(kNotFound, "there is no such page");
}

class RunSite final : public Site {
 public:
  explicit RunSite(const SiteOptions& options)
      : place_(options.place), run_(options.place, options.topology, options.against) {}

  std::vector<std::string> greeting() const override {
    std::vector<std::string> lines = {"The run of '" + run_.folder().name() + "' is shown at "};
    if (!run_.folder().has_operations()) {
      lines.push_back("It has no ops.sqlite, so there is no timeline; run it with --record " + place_ +
                      " in place of --out");
    }
    if (!run_.folder().own_topology()) lines.emplace_back("The topology is another one than that of the run.");
    if (run_.against() && !run_.against()->other_machine().empty()) lines.push_back(run_.against()->other_machine());
    return lines;
  }
  void check() const override { run_.rethrow_failure(); }
  void stop() const override { run_.stop(); }

 private:
  const char* kind() const override { return "run"; }
  std::string name() const override { return run_.folder().name(); }
  HttpResponse answer_api(const HttpRequest& request) override { return run_.answer(request); }

  std::string place_;
  OpenRun run_;
};

// Runs below a folder. The parameter `in` of a request names the run, and `with` the run to compare with.
class RunsSite : public Site {
 public:
  explicit RunsSite(const std::string& place) : place_(place), runs_(place), open_(runs_) {}

  std::vector<std::string> greeting() const override { return {"The runs below '" + place_ + "' are shown at "}; }
  void stop() const override { open_.stop(); }

 protected:
  const char* kind() const override { return "runs"; }
  std::string name() const override { return last_name(place_); }
  HttpResponse answer_api(const HttpRequest& request) override {
    constexpr double kListSeconds = 0.25;
    if (request.path == "/api/runs") return json_text(runs_.json(kListSeconds, !request.parameter("more")));
    const auto in = request.parameter("in");
    if (!in) throw bad_request("in is missing: the run, as /api/runs names it");
    return open_.answer(*in, request.parameter("with").value_or(""), request);
  }

 private:
  std::string place_;
  RunList runs_;
  OpenRuns open_;
};

class SweepSite final : public RunsSite {
 public:
  explicit SweepSite(const std::string& place) : RunsSite(place), place_(place), sweep_(place) { sweep_.json(); }

  std::vector<std::string> greeting() const override { return {"The sweep of '" + place_ + "' is shown at "}; }

 private:
  const char* kind() const override { return "sweep"; }
  HttpResponse answer_api(const HttpRequest& request) override {
    if (request.path == "/api/sweep") return json_text(sweep_.json());
    if (request.path == "/api/point") return json_text(sweep_.point(needed(request, "point")));
    return RunsSite::answer_api(request);
  }

  std::string place_;
  SweepFolder sweep_;
};

// What a command about a model wrote: read anew for each request, so that a run that ends is there when the page is
// loaded.
class RequestsSite final : public Site {
 public:
  explicit RequestsSite(const std::string& place) : place_(place), folder_(place) { folder_.json(); }

  std::vector<std::string> greeting() const override { return {"The requests of '" + place_ + "' are shown at "}; }

 private:
  const char* kind() const override { return "requests"; }
  std::string name() const override { return last_name(place_); }
  HttpResponse answer_api(const HttpRequest& request) override {
    if (request.path == "/api/gaps") return json_text(folder_.gaps(needed(request, "request")));
    return request.path == "/api/requests" ? json_text(folder_.json()) : no_such_page();
  }

  std::string place_;
  ServingFolder folder_;
};

class StepSite final : public Site {
 public:
  StepSite(const std::string& place, const std::string& against) : place_(place), against_(against) { answer_json(); }

  std::vector<std::string> greeting() const override { return {"The step of '" + place_ + "' is shown at "}; }

 private:
  const char* kind() const override { return "step"; }
  std::string name() const override { return last_name(place_); }
  HttpResponse answer_api(const HttpRequest& request) override {
    return request.path == "/api/step" ? json_text(answer_json()) : no_such_page();
  }
  // {"step", "against": another step or null, "against_name"}
  std::string answer_json() const {
    const std::string other = against_.empty() ? "null" : StepFile(against_).json();
    return fmt::format(R"({{"step":{},"against":{},"against_name":{}}})", StepFile(place_).json(), other,
                       nlohmann::json(against_.empty() ? "" : last_name(against_)).dump());
  }

  std::string place_, against_;
};

class MachineSite final : public Site {
 public:
  MachineSite(std::string place, const nlohmann::ordered_json& topology)
      : place_(std::move(place)), machine_(topology, place_) {
    for (const analysis::Machine::Node& node : machine_.nodes()) nodes_.add(node);
  }

  std::vector<std::string> greeting() const override { return {"The machine of '" + place_ + "' is shown at "}; }

 private:
  const char* kind() const override { return "machine"; }
  std::string name() const override { return last_name(place_); }
  HttpResponse answer_api(const HttpRequest& request) override {
    if (request.path == "/api/machine") {
      const std::string under = request.parameter("under").value_or("");
      return json_text(under.empty() ? machine_.overview() : machine_.part(nodes_.scope(under)));
    }
    if (request.path == "/api/nodes") return json_text(nodes_.directory());
    if (request.path != "/api/block") return no_such_page();
    std::string block = machine_.block(request.parameter("id").value_or(""));
    return block.empty() ? error(kNotFound, "there is no such block") : json_text(std::move(block));
  }

  std::string place_;
  analysis::Machine machine_;
  analysis::Nodes nodes_;
};

// Error with the possible kinds of `place`.
Error unknown_place(const std::string& place, const std::string& reason) {
  return Error::configuration(
      fmt::format("'{}' {}; give the folder that `kernbench run --out DIR` wrote, a folder of such folders, the folder "
                  "of a sweep or of `kernbench model requests --out`, the file of `kernbench model step --out`, or a "
                  "topology file",
                  place, reason));
}

bool is_small_step(const fs::directory_entry& entry) {
  constexpr std::uintmax_t kMost = 4 << 20;  // a step of 80 layers has 0.1 MB
  std::error_code ignored;
  if (entry.path().extension() != ".json" || !entry.is_regular_file(ignored) || entry.file_size(ignored) > kMost)
    return false;
  try {
    return StepFile::is_one(files::read_json(entry.path().string(), kMost));
  } catch (const Error&) {
    return false;
  }
}

// The first folder or file in a folder that has a page of its own, as a path; "" when there is none.
std::string place_within(const fs::path& folder) {
  std::error_code ignored;
  std::string first;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, ignored)) {
    const std::string path = (folder / entry.path().filename()).lexically_normal().string();
    if (!first.empty() && first < path) continue;
    if (SweepFolder::is_one(path) || ServingFolder::is_one(path) || is_small_step(entry)) first = path;
  }
  return first;
}

std::unique_ptr<Site> make_site_of_file(const SiteOptions& options) {
  const std::string& place = options.place;
  if (!options.machine.empty()) {
    return std::make_unique<MachineSite>(place, files::parse_json(place, options.machine));
  }
  nlohmann::ordered_json document;
  try {
    document = files::read_json(place, kMaxBytes);
  } catch (const Error& failure) {
    throw unknown_place(place, fmt::format("cannot be shown ({})", failure.what()));
  }
  if (StepFile::is_one(document)) return std::make_unique<StepSite>(place, options.against);
  if (!options.against.empty()) {
    throw Error::configuration("--against needs the folder of a run or the file of a step, and '" + place +
                               "' is neither");
  }
  return std::make_unique<MachineSite>(place, document);
}

}  // namespace

HttpResponse Site::answer(const HttpRequest& request) {
  for (const Asset& asset : assets()) {
    if (request.path != asset.path) continue;
    HttpResponse response;
    response.type = asset.type;
    response.body = asset.content;
    return response;
  }
  try {
    if (request.path != "/api/site") return answer_api(request);
  } catch (const Error& failure) {
    return error(kBadRequest, failure.what());
  }
  JsonWriter writer(JsonWriter::Layout::compact);
  writer.begin_object().key("kind").text(kind()).key("name").text(name()).end_object();
  return json(writer);
}

std::unique_ptr<Site> make_site(const SiteOptions& options) {
  std::error_code ignored;
  const fs::path place(options.place);
  if (!options.machine.empty() || fs::is_regular_file(place, ignored)) return make_site_of_file(options);
  if (!fs::is_directory(place, ignored)) throw unknown_place(options.place, "is not a folder");
  const bool is_run = fs::exists(place / "result.json", ignored);
  if (!options.against.empty() && !is_run) {
    throw Error::configuration("--against needs the folder of a run, and '" + options.place +
                               "' has no result.json; two runs of a list are chosen on its page");
  }
  if (is_run) {
    analysis::run_state(place, place);
    return std::make_unique<RunSite>(options);
  }
  if (SweepFolder::is_one(options.place)) return std::make_unique<SweepSite>(options.place);
  if (ServingFolder::is_one(options.place)) return std::make_unique<RequestsSite>(options.place);
  if (RunList(options.place).look() > 0) return std::make_unique<RunsSite>(options.place);
  const std::string inner = place_within(place);
  if (!inner.empty()) {
    throw Error::configuration(
        fmt::format("'{}' has no runs; what it has is shown one by one: kernbench web {}", options.place, inner));
  }
  throw unknown_place(
      options.place,
      fmt::format("is not the folder of a run: it has no result.json; nor has a folder in it, down to {} "
                  "below each other, and it has no points.csv of a sweep and no summary.json of requests",
                  RunList::kMostDepth));
}

}  // namespace kb::web
