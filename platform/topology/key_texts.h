// What the keys of a topology file mean, in a sentence each; those of block attributes are in their field tables.
#pragma once

#include <map>
#include <string>

namespace kb::topology {

// What each key means, by its dotted path with "[]" for the entries of a list.
const std::map<std::string, std::string>& key_texts();

}  // namespace kb::topology
