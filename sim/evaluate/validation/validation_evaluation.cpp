#include "sim/evaluate/validation/validation_evaluation.h"

#include <algorithm>
#include <filesystem>

#include "platform/base/error.h"
#include "platform/base/nearest.h"
#include "platform/base/split.h"
#include "sim/evaluate/validation/section.h"

namespace kb::evaluate {
namespace {

using Sections = std::vector<std::unique_ptr<ISection>>;

constexpr const char* kMachine = "reference.yaml";

Sections all_sections(std::uint64_t pairs) {
  Sections all;
  all.push_back(mesh_section());
  all.push_back(memory_section());
  all.push_back(links_section());
  all.push_back(gemm_section());
  all.push_back(collectives_section());
  all.push_back(monotony_section(pairs));
  return all;
}

Sections chosen_sections(const EvaluationOptions& options) {
  Sections all = all_sections(options.draws);
  if (options.sections.empty()) {
    if (options.draws == 0) all.pop_back();  // the long one runs when it is asked for
    return all;
  }
  std::vector<std::string> names, wanted;
  for (const auto& section : all) names.push_back(section->name());
  for (const std::string& name : split(options.sections, ',')) {
    if (std::find(names.begin(), names.end(), name) == names.end()) {
      throw Error(ErrorFamily::configuration, "USAGE_ERROR",
                  "--sections: unknown section '" + name + "'; " + suggest(name, names));
    }
    wanted.push_back(name);
  }
  const auto left_out = [&](const std::unique_ptr<ISection>& section) {
    return std::find(wanted.begin(), wanted.end(), section->name()) == wanted.end();
  };
  all.erase(std::remove_if(all.begin(), all.end(), left_out), all.end());
  return all;
}

class ValidationEvaluation final : public IEvaluation {
 public:
  explicit ValidationEvaluation(const EvaluationOptions& options) : sections_(chosen_sections(options)) {}

  std::string name() const override { return "validation"; }
  std::string data_file() const override { return "validation.json"; }

  std::vector<Point> points(const topology::LoadedTopology& machine) const override {
    if (std::filesystem::path(machine.file).filename() != kMachine) {
      throw Error(ErrorFamily::configuration, "USAGE_ERROR",
                  "evaluate validation has machines of its own, which its bands are for; leave --topology out, change "
                  "single keys with --set");
    }
    std::vector<Point> list;
    for (const auto& section : sections_) {
      for (Point& point : section->points(machine)) list.push_back(std::move(point));
    }
    return list;
  }

  Json row(const Point& point, const PointFiles& files) const override {
    for (const auto& section : sections_) {
      if (point.id.rfind(section->name() + "_", 0) != 0) continue;
      return {{"id", point.id}, {"row", section->row(point, files)}};
    }
    throw Error::model("point " + point.id + " belongs to no section of the validation");
  }

  Json data(const topology::LoadedTopology& machine, const std::vector<Json>& rows) const override {
    RowMap by_id;
    for (const Json& row : rows) by_id.emplace(row.at("id").get<std::string>(), row.at("row"));
    Json data{{"sections", Json::array()}, {"measured", Json::array()}, {"details", Json::object()}};
    for (const auto& section : sections_) {
      data["sections"].push_back(section->name());
      for (const Measured& measured : section->measured(machine, by_id)) {
        data["measured"].push_back(measured_json(measured));
      }
      const Json details = section->details(by_id);
      if (!details.is_null()) data["details"][section->name()] = details;
    }
    return data;
  }

  std::string csv(const Json& data) const override { return measured_csv(data); }
  std::vector<Violation> check(const Json& data) const override { return check_bands(data); }

  // Those of the sections that the data file has, whatever the command line chooses.
  std::vector<Figure> figures(const Json& data) const override {
    std::vector<Figure> figures;
    for (const auto& section : all_sections(0)) {
      const Json& measured = data.at("sections");
      if (std::find(measured.begin(), measured.end(), section->name()) != measured.end()) {
        figures.push_back(section->draw(data));
      }
    }
    return figures;
  }
  std::vector<std::string> figure_names() const override {
    std::vector<std::string> names;
    for (const auto& section : all_sections(0)) names.push_back("validation_" + section->name());
    return names;
  }

 private:
  Sections sections_;
};

}  // namespace

std::unique_ptr<IEvaluation> validation_evaluation(const EvaluationOptions& options) {
  refuse_others("validation", options, {"--sections", "--draws"});
  return std::make_unique<ValidationEvaluation>(options);
}

}  // namespace kb::evaluate
