// How the fields of a struct in result.h are told: name in the document, struct member and meaning. A visitor is called
// for each in the order of the document; those of write.h, read.h and shape.h write it, read it and generate its
// schema.
//
//   visit(name, member, meaning)                    a member that is always present; an empty optional is null
//   visit.may(name, member, meaning)                a member that is present when the optional has a value
//   visit.one_of(name, member, words, meaning)      one of several texts
//   visit.known_word(name, member, words, meaning)  null or one of several texts, to which plug-ins add
//   visit.matching(name, member, pattern, meaning)  a text with a pattern, which the schema states
//   visit.amount(name, member, unit, meaning)       an integer in a unit; fs in memory and ns in the document
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

namespace kb::result {

// `kName` is the name of the type in schemas. With `kOneLine` an object is written on one line of the document.
template <typename Struct>
struct Fields;

using WordList = std::initializer_list<std::string_view>;
using KnownWords = std::vector<std::string> (*)();

}  // namespace kb::result
