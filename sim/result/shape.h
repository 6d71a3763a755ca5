// JSON schema of a document, generated from the fields of its structs (fields.h).
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "sim/result/fields.h"

namespace kb::result {

struct Type {
  enum class Kind { boolean, integer, count, number, time, text, scalar, element, object, list, members };
  Kind kind = Kind::text;
  bool nullable = false;
  std::string object;              // name of its type
  std::vector<std::string> words;  // all possible texts; empty: any text
  std::string pattern;             // regular expression of its texts; empty: any
  std::vector<Type> item;          // a single type: of the elements of a list or of `members`
};

struct Member {
  std::string name;
  Type type;
  bool required = true;
  std::string meaning;
};

struct Form {
  std::string name, meaning;
  std::vector<Member> members;
};

// Types of objects in the order in which they are visited, the outermost one last.
class Shape {
 public:
  template <typename Struct>
  static std::vector<Form> of() {
    std::vector<Form> forms;
    add<Struct>(forms);
    return forms;
  }

  template <typename Value>
  void operator()(std::string_view name, Value& /*value*/, std::string_view meaning) {
    add_member(name, type_of(static_cast<Value*>(nullptr)), true, meaning);
  }
  template <typename Value>
  void may(std::string_view name, std::optional<Value>& /*value*/, std::string_view meaning) {
    add_member(name, type_of(static_cast<Value*>(nullptr)), false, meaning);
  }
  void one_of(std::string_view name, std::string& /*value*/, WordList words, std::string_view meaning) {
    Type type;
    for (const std::string_view word : words) type.words.emplace_back(word);
    add_member(name, std::move(type), true, meaning);
  }
  void known_word(std::string_view name, std::optional<std::string>& /*value*/, KnownWords words,
                  std::string_view meaning) {
    Type type;
    type.nullable = true;
    type.words = words();
    add_member(name, std::move(type), true, meaning);
  }
  void matching(std::string_view name, std::string& /*value*/, std::string_view pattern, std::string_view meaning) {
    Type type;
    type.pattern = pattern;
    add_member(name, std::move(type), true, meaning);
  }
  void amount(std::string_view name, std::int64_t& /*value*/, const std::string& /*unit*/, std::string_view meaning) {
    add_member(name, plain(Type::Kind::number), true, meaning);
  }

 private:
  explicit Shape(std::vector<Form>& forms) : forms_(forms) {}

  template <typename Struct>
  static void add(std::vector<Form>& forms) {
    for (const Form& form : forms) {
      if (form.name == Fields<Struct>::kName) return;
    }
    Shape shape(forms);
    shape.form_ = {Fields<Struct>::kName, Fields<Struct>::kMeaning, {}};
    Struct value;
    Fields<Struct>::visit(value, shape);
    forms.push_back(std::move(shape.form_));
  }
  static Type plain(Type::Kind kind) {
    Type type;
    type.kind = kind;
    return type;
  }
  void add_member(std::string_view name, Type type, bool required, std::string_view meaning) {
    form_.members.push_back({std::string(name), std::move(type), required, std::string(meaning)});
  }

  template <typename Struct>
  Type type_of(Struct* /*tag*/) {
    add<Struct>(forms_);
    Type type = plain(Type::Kind::object);
    type.object = Fields<Struct>::kName;
    return type;
  }
  Type type_of(bool* /*tag*/) { return plain(Type::Kind::boolean); }
  Type type_of(std::int64_t* /*tag*/) { return plain(Type::Kind::integer); }
  Type type_of(std::uint64_t* /*tag*/) { return plain(Type::Kind::count); }
  Type type_of(TimeFs* /*tag*/) { return plain(Type::Kind::time); }
  Type type_of(std::string* /*tag*/) { return plain(Type::Kind::text); }
  Type type_of(Scalar* /*tag*/) { return plain(Type::Kind::scalar); }
  Type type_of(Element* /*tag*/) { return plain(Type::Kind::element); }
  Type type_of(double* /*tag*/) {  // null when not finite
    Type type = plain(Type::Kind::number);
    type.nullable = true;
    return type;
  }
  template <typename Value>
  Type type_of(std::optional<Value>* /*tag*/) {
    Type type = type_of(static_cast<Value*>(nullptr));
    type.nullable = true;
    return type;
  }
  template <typename Value>
  Type type_of(std::vector<Value>* /*tag*/) {
    Type type = plain(Type::Kind::list);
    type.item.push_back(type_of(static_cast<Value*>(nullptr)));
    return type;
  }
  template <typename Value>
  Type type_of(Members<Value>* /*tag*/) {
    Type type = plain(Type::Kind::members);
    type.item.push_back(type_of(static_cast<Value*>(nullptr)));
    return type;
  }

  std::vector<Form>& forms_;
  Form form_;
};

// A JSON schema (2020-12) of the last type, whose members `guide` explains.
std::string json_schema(const std::vector<Form>& forms, const std::string& guide);
// The JSON schemas of result.json, why.json and tornado.json.
std::string schema();
std::string why_schema();
std::string tornado_schema();

}  // namespace kb::result
