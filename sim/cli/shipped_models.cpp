#include "sim/cli/shipped_models.h"

#include <filesystem>
#include <system_error>

#include "platform/base/error.h"
#include "sim/cli/shipped_folder.h"

namespace kb::cli {
namespace {

ShippedFolder models_folder() {
  return {"models", ".json", "llama-3.1-8b.json", "models", [](const std::string&) { return true; }};
}

}  // namespace

std::string model_file(const std::string& name) {
  const std::string file = models_folder().file_of(name);
  std::error_code error;
  return std::filesystem::is_directory(file, error) ? (std::filesystem::path(file) / "config.json").string() : file;
}

std::vector<std::string> shipped_model_files() {
  return models_folder().files();
}

void require_shipped_models() {
  const ShippedFolder models = models_folder();
  if (models.path().empty())
    throw Error({Diagnostic{"", 0, 0, "", "there are no models to list", models.where_missing()}});
}

}  // namespace kb::cli
