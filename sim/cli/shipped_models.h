// Shipped models can be named without their folder.
#pragma once

#include <string>
#include <vector>

namespace kb::cli {

// Returns the file of the shipped model "llama-3.1-8b", or the config.json in a folder. A file or folder of the user
// with that name takes precedence, and a name with a folder is always of the user. Configuration Error with the nearest
// name.
std::string model_file(const std::string& name);

// Files of all shipped models in the order of their names; empty when there is no folder with models.
std::vector<std::string> shipped_model_files();

// Configuration Error when there is no folder with models: where it was looked for, and what to do.
void require_shipped_models();

}  // namespace kb::cli
