#include "sim/web/report/questions.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "sim/analysis/recorded/machine.h"
#include "sim/web/report/launches.h"

namespace kb::web {
namespace {

using Json = nlohmann::ordered_json;
using Parameters = Answers::Parameters;

constexpr std::size_t kRooflineLaunches = 12, kPairs = 3;  // as web/src/roofline.tsx and compare.tsx show
constexpr const char* kComposites = "8";
constexpr const char* kTablePage = "100";
constexpr const char* kColumns = "512";  // of profiles and strips

class Questions {
 public:
  Questions(const RequestContext& what, Answers& answers)
      : what_(what), answers_(answers), launches_(launches_of(what.run.result())) {
    run_ = {0, std::max<std::int64_t>(1, what.run.result().sim_time.fs())};
  }

  void ask_all() {
    answers_.ask("/api/nodes");
    answers_.ask("/api/words");
    if (what_.run.machine() != nullptr) ask_machine();
    if (what_.timeline == nullptr) return;
    answers_.ask("/api/state");
    answers_.ask("/api/rows");
    const std::vector<const LaunchTimes*> chosen = longest_of_each();
    if (!chosen.empty()) ask_longest(*chosen.front());
    for (const result::Kernel& kernel : what_.run.result().kernels) ask_kernel(kernel);
    ask_whole_run();
    ask_roofline();
    if (what_.against != nullptr && what_.against->has_operations()) ask_pairs();
    for (std::size_t i = 1; i < chosen.size() && answers_.packed_bytes() < kEnough; ++i) ask_launch(*chosen[i]);
  }

 private:
  static Parameters in(const Window& window, Parameters more = {}) {
    more.emplace("t0", std::to_string(window.begin_fs));
    more.emplace("t1", std::to_string(window.end_fs));
    return more;
  }

  // The longest launch of each kernel, sorted by descending time.
  std::vector<const LaunchTimes*> longest_of_each() const {
    std::vector<const LaunchTimes*> order;
    for (const LaunchTimes& launch : launches_) order.push_back(&launch);
    std::stable_sort(order.begin(), order.end(),
                     [](const LaunchTimes* a, const LaunchTimes* b) { return a->whole.span() > b->whole.span(); });
    std::set<std::string> known;
    std::vector<const LaunchTimes*> first;
    for (const LaunchTimes* launch : order) {
      if (known.insert(launch->name).second) first.push_back(launch);
    }
    return first;
  }

  // Machine: the tray, and every cube and chiplet.
  void ask_machine() {
    answers_.ask("/api/machine");
    for (const analysis::Nodes::Part& part : what_.run.nodes().parts()) {
      const bool is_chip = part.coord.cube.valid() || !part.coord.io.empty();
      if (is_chip && !part.coord.pe.valid()) answers_.ask("/api/machine", {{"under", part.id}});
    }
  }

  // Why, Kernel, Machine, Collective and Timeline of a launch.
  void ask_launch(const LaunchTimes& launch) {
    if (!launch.kernel.empty()) {
      ask_resources(launch.kernel);
      answers_.ask("/api/classes", in(launch.kernel));
      answers_.ask("/api/messages", in(launch.kernel));
      answers_.ask("/api/chain", in(launch.kernel, {{"pe", launch.pe}}));
    }
    answers_.ask("/api/kernel", {{"launch", std::to_string(launch.launch->id)}});
    answers_.ask("/api/messages", in(together(launch)));
    ask_profile(launch.whole, "");
    answers_.ask("/api/ops",
                 in(launch.whole, {{"sort", "duration"}, {"order", "desc"}, {"offset", "0"}, {"limit", kTablePage}}));
    ask_timeline(launch.whole);
  }

  // Kernel, over all launches.
  void ask_kernel(const result::Kernel& kernel) {
    if (kernel.launches > 1 && answers_.packed_bytes() < kEnough)
      answers_.ask("/api/kernel", {{"kernel", kernel.kernel}});
  }

  // Also every part of Machine.
  void ask_longest(const LaunchTimes& launch) {
    ask_launch(launch);
    if (what_.run.machine() == nullptr) return;
    for (const analysis::Nodes::Part& part : what_.run.nodes().parts()) {
      if (!part.coord.pe.valid()) ask_profile(launch.whole, part.id);
    }
  }

  // Requests all resources of a window; the page filters them.
  void ask_resources(const Window& window) {
    answers_.ask("/api/activity", in(window, {{"names", "1"}}));
    answers_.ask("/api/activity", in(window, {{"names", "1"}, {"kind", "state"}}));
    answers_.ask("/api/cells", in(window));
  }

  void ask_profile(const Window& window, const std::string& under) {
    answers_.ask("/api/profile", in(window, {{"under", under}, {"px", kColumns}}));
  }

  // The launches of one collective run at the same time on several SIPs.
  Window together(const LaunchTimes& launch) const {
    Window all = launch.whole;
    for (const LaunchTimes& other : launches_) {
      const bool overlaps = other.whole.begin_fs < launch.whole.end_fs && launch.whole.begin_fs < other.whole.end_fs;
      if (!overlaps) continue;
      all = {std::min(all.begin_fs, other.whole.begin_fs), std::max(all.end_fs, other.whole.end_fs)};
    }
    return all;
  }

  // The window with a margin, as the page shows it. Blocks have rows while a tile is small.
  void ask_timeline(const Window& window) {
    constexpr std::int64_t kEdge = 25, kPixels = 256;  // an edge of 4 %, the page's is 3 %
    constexpr std::size_t kMostRows = 700, kMostStates = 512;
    const std::int64_t edge = window.span() / kEdge + 1;
    Answers::TimelineWindow wanted{
        std::max<std::int64_t>(0, window.begin_fs - edge), window.end_fs + edge, kPixels, {}, {}};
    const auto& rows = what_.timeline->rows();
    for (std::uint32_t i = 0; i < rows.size(); ++i) {
      if (rows.size() <= kMostRows || !rows[i].component) wanted.rows.push_back(i);
      if (!rows[i].component && wanted.states.size() < kMostStates) wanted.states.push_back(i);
    }
    answers_.ask_timeline(wanted);
  }

  // Tables, Machine and Timeline of all of the run.
  void ask_whole_run() {
    ask_resources(run_);
    ask_profile(run_, "");
    answers_.ask("/api/ops", {{"sort", "seq"}, {"order", "asc"}, {"offset", "0"}, {"limit", kTablePage}});
    if (what_.timeline->operations() > 0) ask_timeline({what_.timeline->begin_fs(), what_.timeline->end_fs()});
  }

  // Roofline: the longest kernels, and the composites of the longest launch.
  void ask_roofline() {
    std::vector<const LaunchTimes*> order;
    for (const LaunchTimes& launch : launches_) {
      if (!launch.kernel.empty()) order.push_back(&launch);
    }
    std::stable_sort(order.begin(), order.end(),
                     [](const LaunchTimes* a, const LaunchTimes* b) { return a->kernel.span() > b->kernel.span(); });
    order.resize(std::min(order.size(), kRooflineLaunches));
    for (const LaunchTimes* launch : order) answers_.ask("/api/work", in(launch->whole, {{"under", launch->sip}}));
    const LaunchTimes* longest = longest_of(launches_);
    if (longest != nullptr && !longest->kernel.empty()) ask_composites(*longest);
  }
  void ask_composites(const LaunchTimes& launch) {
    const auto found = answers_.ask("/api/ops", in(launch.kernel, {{"component", launch.sip + ".*pe_scheduler"},
                                                                   {"name", "composite"},
                                                                   {"sort", "duration"},
                                                                   {"order", "desc"},
                                                                   {"limit", kComposites}}));
    if (!found) return;
    const Json answer = Json::parse(*found);
    for (const Json& op : answer.at("rows")) {
      const auto text = [&](const char* name) { return op.at(name).get<std::string>(); };
      const std::string ending = ".pe_scheduler";
      const std::string pe = text("component").substr(0, text("component").rfind(ending));
      answers_.ask("/api/work", {{"t0", text("start_fs")}, {"t1", text("end_fs")}, {"under", pe}});
    }
  }

  // Compare: the pairs of launches with the largest changes.
  void ask_pairs() {
    std::vector<const Json*> pairs;
    for (const Json& pair : what_.comparison.at("launches")) pairs.push_back(&pair);
    const auto change = [](const Json* pair) {
      return std::abs(pair->at("after").at("ns").get<double>() - pair->at("before").at("ns").get<double>());
    };
    std::stable_sort(pairs.begin(), pairs.end(), [&](const Json* a, const Json* b) { return change(a) > change(b); });
    pairs.resize(std::min(pairs.size(), kPairs));
    const std::vector<LaunchTimes> others = launches_of(what_.against->result());
    for (const Json* pair : pairs) {
      ask_side(launch_with(others, pair->at("before").at("id").get<std::uint64_t>()), "against");
      ask_side(launch_with(launches_, pair->at("after").at("id").get<std::uint64_t>()), "");
    }
  }
  static const LaunchTimes* launch_with(const std::vector<LaunchTimes>& launches, std::uint64_t id) {
    const auto found = std::find_if(launches.begin(), launches.end(),
                                    [&](const LaunchTimes& launch) { return launch.launch->id == id; });
    return found == launches.end() ? nullptr : &*found;
  }
  void ask_side(const LaunchTimes* launch, const std::string& run) {
    if (launch == nullptr || launch->kernel.empty()) return;
    answers_.ask("/api/classes", in(launch->kernel, {{"run", run}}));
    answers_.ask("/api/cells", in(launch->kernel, {{"run", run}}));
    answers_.ask("/api/states",
                 in(launch->kernel, {{"run", run}, {"nodes", launch->sip + "," + launch->pe}, {"px", kColumns}}));
  }

  const RequestContext& what_;
  Answers& answers_;
  std::vector<LaunchTimes> launches_;
  Window run_;
};

}  // namespace

void make_requests(const RequestContext& what, Answers& answers) {
  Questions(what, answers).ask_all();
}

}  // namespace kb::web
