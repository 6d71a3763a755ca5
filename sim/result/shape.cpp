#include "sim/result/shape.h"

#include "platform/observe/json_writer.h"
#include "sim/result/tornado.h"
#include "sim/result/why.h"

namespace kb::result {
namespace {

using observe::JsonWriter;
using Kind = Type::Kind;

void write_type(JsonWriter& json, const Type& type);

// Returns the name of the type in a schema; empty for a type with members.
const char* plain_name(Kind kind) {
  switch (kind) {
    case Kind::boolean:
      return "boolean";
    case Kind::integer:
    case Kind::count:
      return "integer";
    case Kind::number:
    case Kind::time:
      return "number";
    case Kind::text:
      return "string";
    default:
      return "";
  }
}

void write_types(JsonWriter& json, std::initializer_list<const char*> names, bool nullable) {
  json.key("type");
  if (names.size() == 1 && !nullable) {
    json.text(*names.begin());
    return;
  }
  json.begin_array(true);
  for (const char* name : names) json.text(name);
  if (nullable) json.text("null");
  json.end_array();
}

void write_words(JsonWriter& json, const std::vector<std::string>& words) {
  json.key("enum").begin_array(true);
  for (const std::string& word : words) json.text(word);
  json.end_array();
}

// Another type, or null.
template <typename Write>
void write_alternative(JsonWriter& json, bool nullable, Write write) {
  if (!nullable) return write();
  json.key("anyOf").begin_array().begin_object(true).key("type").text("null").end_object().begin_object(true);
  write();
  json.end_object().end_array();
}

// Returns the members of a schema that describe the type.
void write_type(JsonWriter& json, const Type& type) {
  if (!type.words.empty()) return write_alternative(json, type.nullable, [&] { write_words(json, type.words); });
  if (*plain_name(type.kind) != '\0') {
    write_types(json, {plain_name(type.kind)}, type.nullable);
    if (type.kind == Kind::count) json.key("minimum").integer(0);
    if (!type.pattern.empty()) json.key("pattern").text(type.pattern);
  } else if (type.kind == Kind::scalar) {
    write_types(json, {"string", "number", "boolean"}, type.nullable);
  } else if (type.kind == Kind::element) {
    json.key("oneOf").begin_array(true).begin_object(true).key("type").text("number").end_object().begin_object(true);
    write_words(json, {"nan", "inf", "-inf"});
    json.end_object().end_array();
  } else if (type.kind == Kind::object) {
    write_alternative(json, type.nullable, [&] { json.key("$ref").text("#/$defs/" + type.object); });
  } else {
    const bool list = type.kind == Kind::list;
    write_types(json, {list ? "array" : "object"}, type.nullable);
    json.key(list ? "items" : "additionalProperties").begin_object(true);
    write_type(json, type.item.front());
    json.end_object();
  }
}

void write_form(JsonWriter& json, const Form& form) {
  json.key("type").text("object").key("additionalProperties").boolean(false).key("required").begin_array(true);
  for (const Member& member : form.members) {
    if (member.required) json.text(member.name);
  }
  json.end_array().key("properties").begin_object();
  for (const Member& member : form.members) {
    json.key(member.name).begin_object(true).key("description").text(member.meaning);
    if (member.name == "schema" && member.type.kind == Kind::count) {
      json.key("const").unsigned_integer(kSchema);
    } else {
      write_type(json, member.type);
    }
    json.end_object();
  }
  json.end_object();
}

}  // namespace

std::string json_schema(const std::vector<Form>& forms, const std::string& guide) {
  JsonWriter json;
  json.begin_object().key("$schema").text("https://json-schema.org/draft/2020-12/schema");
  json.key("title").text(forms.back().meaning).key("description");
  json.text(guide + " explains it. Times are ns of simulated time, exact to a femtosecond.");
  write_form(json, forms.back());
  json.key("$defs").begin_object();
  for (const Form& form : forms) {
    if (&form == &forms.back()) continue;
    json.key(form.name).begin_object().key("description").text(form.meaning);
    write_form(json, form);
    json.end_object();
  }
  json.end_object().end_object();
  return json.str() + '\n';
}

std::string schema() {
  return json_schema(Shape::of<Result>(), "docs/guides/results.md");
}

std::string why_schema() {
  return json_schema(Shape::of<Why>(), "docs/guides/why.md");
}

std::string tornado_schema() {
  return json_schema(Shape::of<Tornado>(), "docs/guides/why.md");
}

}  // namespace kb::result
