#include <CLI/CLI.hpp>
#include <algorithm>
#include <string>
#include <vector>

#include "platform/base/nearest.h"
#include "platform/topology/json_schema.h"
#include "sim/cli/help.h"
#include "sim/cli/program.h"
#include "sim/cli/workload_library.h"
#include "sim/result/shape.h"

namespace kb::cli {
namespace {

const std::vector<std::string> kDocuments = {"topology", "result", "why", "tornado"};

class SchemaCommand final : public Command {
 public:
  explicit SchemaCommand(CLI::App& app) {
    app.footer(kSchemaFooter);
    app.add_option("document", document_, "topology, result, why or tornado")->type_name("DOCUMENT")->required();
    add_plugin_option(app, plugins_);
  }

  int run() override {
    if (document_ == "topology") {
      const WorkloadLibrary library(plugins_);
      print(topology::topology_json_schema(library.blocks().implementations()));
      return 0;
    }
    if (std::find(kDocuments.begin(), kDocuments.end(), document_) == kDocuments.end()) {
      throw usage_error("there is no schema of '" + document_ + "'; " + suggest(document_, kDocuments));
    }
    if (!plugins_.empty()) throw usage_error("--plugin changes nothing in the schema of results; leave it out");
    print(document_ == "result" ? result::schema()
          : document_ == "why"  ? result::why_schema()
                                : result::tornado_schema());
    return 0;
  }

 private:
  std::string document_;
  std::vector<std::string> plugins_;
};

}  // namespace

std::unique_ptr<Command> make_schema_command(CLI::App& app, const Program&) {
  return std::make_unique<SchemaCommand>(app);
}

}  // namespace kb::cli
