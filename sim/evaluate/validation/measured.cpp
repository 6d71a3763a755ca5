#include "sim/evaluate/validation/measured.h"

#include "sim/evaluate/checker.h"
#include "sim/evaluate/csv.h"

namespace kb::evaluate {
namespace {

const std::vector<std::string> kColumns = {"section",  "scenario", "parameter", "parameter_value",
                                           "quantity", "value",    "unit",      "source",
                                           "beside",   "low",      "high"};

std::string cell(const Json& value) {
  return value.is_string() ? value.get<std::string>() : value.dump();
}

}  // namespace

Json measured_json(const Measured& measured) {
  return {{"section", measured.section},
          {"scenario", measured.scenario},
          {"parameter", measured.parameter},
          {"parameter_value", measured.parameter_value},
          {"quantity", measured.quantity},
          {"value", measured.value},
          {"unit", measured.unit},
          {"source", measured.source},
          {"beside", measured.beside},
          {"low", measured.low},
          {"high", measured.high}};
}

std::vector<Violation> check_bands(const Json& data) {
  Checker checker;
  for (const Json& row : data.at("measured")) {
    const double value = row.at("value"), low = row.at("low"), high = row.at("high");
    checker.expect(value >= low && value <= high, "band", "{}, {} {:g}, {}: {:.6g} {} is outside {:.6g} .. {:.6g}",
                   row.at("scenario").get<std::string>(), row.at("parameter").get<std::string>(),
                   row.at("parameter_value").get<double>(), row.at("quantity").get<std::string>(), value,
                   row.at("unit").get<std::string>(), low, high);
  }
  return checker.take();
}

std::string measured_csv(const Json& data) {
  std::string text = csv_line(kColumns);
  for (const Json& row : data.at("measured")) {
    std::vector<std::string> cells;
    for (const std::string& column : kColumns) cells.push_back(cell(row.at(column)));
    text += csv_line(cells);
  }
  return text;
}

std::vector<std::pair<double, double>> curve_of(const Json& data, const std::string& section,
                                                const std::string& scenario, const std::string& quantity,
                                                const char* member) {
  std::vector<std::pair<double, double>> points;
  for (const Json& row : data.at("measured")) {
    if (row.at("section") != section || row.at("scenario") != scenario || row.at("quantity") != quantity) continue;
    points.emplace_back(row.at("parameter_value").get<double>(), row.at(member).get<double>());
  }
  return points;
}

std::string made_by(const Json& data) {
  constexpr std::size_t kDigits = 12;
  return "kernbench " + data.at("kernbench").get<std::string>() + ", kernbench evaluate validation, configuration " +
         data.at("config_digest").get<std::string>().substr(0, kDigits);
}

}  // namespace kb::evaluate
