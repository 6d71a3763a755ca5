// Descriptions of the keys of a topology file, one sentence each; block attributes are described in their field tables.
#pragma once

#include <map>
#include <string>

namespace kb::topology {

// Description of each key by its dotted path, with "[]" for the entries of a list.
const std::map<std::string, std::string>& key_texts();
// The description of a key of a machine, "sip.io_chiplets[1].id"; empty when it has none.
std::string key_text(const std::string& path);

}  // namespace kb::topology
