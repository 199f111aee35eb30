// JSON Schema -> signatures. The reader goes along the document by recursion, whose depth is limited across $ref too
// (kMaxNesting); a circle of $ref is an error. A document can lead to far more types than it has, so types are counted,
// and so is everything that is looked at once for each of them (kMaxWork).
//
// A constraint that a type cannot say (pattern, minimum, allOf …) is left out: that only makes the type wider. Nothing
// may make it narrower, with one exception: "properties" or "items" without "type" are meant for an object or an array,
// though the standard lets everything else through.
#include <algorithm>
#include <boost/json.hpp>
#include <optional>

#include "runtime/signature/json_pointer.h"
#include "runtime/signature/json_schema.h"
#include "runtime/signature/schema_alternatives.h"
#include "runtime/signature/type_names.h"
#include "vm/value/print.h"
#include "vm/value/utf8.h"

namespace ptc {
namespace {

namespace json = boost::json;
using TypeKind = SignatureType::Kind;

constexpr std::size_t kMaxJsonDepth = 256;
constexpr std::size_t kMaxNesting = 256;       // schemas that are being read, one inside of the other
constexpr std::size_t kMaxWork = 1u << 20;     // values and bytes of names, each time that they are looked at
constexpr const char* kTooLong = "the signature would be longer than one may be";

std::string_view view_of(const json::string& text) { return {text.data(), text.size()}; }

bool is_null_schema(const json::value& schema) {
  const json::object* const object = schema.if_object();
  if (object == nullptr) return false;
  const json::value* const word = object->if_contains("type");
  if (word != nullptr) return word->is_string() && word->get_string() == "null";
  const json::value* const value = object->if_contains("const");
  return value != nullptr && value->is_null();
}

class SchemaReader {
 public:
  SchemaReader(const json::value& root, std::string pointer) : root_(root), pointer_(std::move(pointer)) {}

  std::optional<SignatureType> read_type() {
    SignatureType type;
    if (!read(root_, type, 0)) return std::nullopt;
    return type;
  }

  bool read_params(Signature& signature) {
    const json::object* const object = root_.if_object();
    if (object == nullptr) return fail("expected a schema for the arguments, an object");
    SignatureType type;
    if (!read(root_, type, 0)) return false;
    const json::value* const more = object->if_contains("additionalProperties");
    const bool takes_more = more != nullptr && !(more->is_bool() && !more->get_bool());
    if (type.kind == TypeKind::Any) return true;
    if (type.kind == TypeKind::Map && !object->contains("properties")) {
      signature.has_params = more != nullptr && !takes_more;      // nothing at all, or whatever comes
      return true;
    }
    if (type.kind == TypeKind::Map) {
      return fail_under("/properties", "there are too many parameters, or one has a name that no signature can say");
    }
    if (type.kind != TypeKind::Record) return fail("the arguments must be an object");
    if (takes_more) return fail_under("/additionalProperties", "further arguments beside named ones cannot be said");
    signature.has_params = true;
    signature.params = std::move(type.fields);
    return true;
  }

  JsonSchemaError take_error() { return std::move(error_); }

 private:
  bool fail(std::string message) {
    error_ = {pointer_, std::move(message)};
    return false;
  }
  bool fail_under(std::string_view part, std::string message) {
    error_ = {pointer_ + std::string(part), std::move(message)};
    return false;
  }

  bool fail_too_deep() {
    return fail("types are nested deeper than " + std::to_string(kMaxSignatureDepth) + " levels");
  }

  bool charge(std::size_t count) {
    work_ += count;
    return work_ <= kMaxWork || fail("the schema is too large when its definitions are put in");
  }

  bool read(const json::value& schema, SignatureType& type, int depth) {
    if (nesting_ >= kMaxNesting) return fail("the schema is nested too deep");
    ++nesting_;
    const bool good = read_schema(schema, type, depth);
    --nesting_;
    return good;
  }

  bool read_schema(const json::value& schema, SignatureType& type, int depth) {
    if (depth > kMaxSignatureDepth) return fail_too_deep();
    if (++types_ > kMaxJsonSchemaTypes) {
      return fail("the schema leads to more than " + std::to_string(kMaxJsonSchemaTypes) + " types");
    }
    if (const bool* const allowed = schema.if_bool()) return *allowed || fail("nothing fits the schema false");
    const json::object* const object = schema.if_object();
    if (object == nullptr) return fail("expected a schema, an object");
    if (!read_keywords(*object, type, depth)) return false;
    const json::value* const nullable = object->if_contains("nullable");      // of OpenAPI
    if (nullable != nullptr && nullable->is_bool() && nullable->get_bool()) type.optional = true;
    return true;
  }

  bool read_keywords(const json::object& object, SignatureType& type, int depth) {
    if (const json::value* const ref = object.if_contains("$ref")) return read_ref(*ref, type, depth);
    if (const json::value* const words = object.if_contains("type")) return read_typed(object, *words, type, depth);
    if (object.contains("properties")) return read_object(object, type, depth);
    if (object.contains("items") || object.contains("prefixItems")) return read_array(object, type, depth);
    if (const json::value* const values = object.if_contains("enum")) return read_enum(*values, type);
    if (const json::value* const value = object.if_contains("const")) {
      type = value->is_null() ? plain_type(TypeKind::Any, true) : plain_type(kind_of_json(*value));
      return true;
    }
    for (const std::string_view word : {"anyOf", "oneOf"}) {
      const json::value* const choices = object.if_contains(word);
      if (choices != nullptr) return read_choices(word, *choices, type, depth);
    }
    return read_all_of(object, type, depth);
  }

  bool read_at(std::string part, const json::value& schema, SignatureType& type, int depth) {
    const std::size_t size = pointer_.size();
    pointer_ += part;
    const bool good = read(schema, type, depth);
    pointer_.resize(size);
    return good;
  }

  bool read_typed(const json::object& object, const json::value& words, SignatureType& type, int depth) {
    if (words.is_string()) return read_word(object, view_of(words.get_string()), type, depth);
    const json::array* const list = words.if_array();
    if (list == nullptr || list->empty()) return fail_under("/type", "expected the name of a type, or a list of names");
    if (!charge(list->size())) return false;
    TypeAlternatives all;
    for (const json::value& word : *list) {
      SignatureType one;
      if (!word.is_string()) return fail_under("/type", "expected the name of a type, or a list of names");
      if (word.get_string() == "null") {
        all.add_null();
      } else if (read_word(object, view_of(word.get_string()), one, depth)) {
        all.add(std::move(one));
      } else {
        return false;
      }
    }
    type = all.take();
    return true;
  }

  bool read_word(const json::object& object, std::string_view word, SignatureType& type, int depth) {
    if (word == "null") {
      type = plain_type(TypeKind::Any, true);
      return true;
    }
    const auto kind = kind_of_schema_type(word);
    if (!kind) {
      std::string message = "unknown type ";
      append_quoted(message, utf8_prefix(word, kMaxShownWord));
      return fail_under("/type", std::move(message));
    }
    if (*kind == TypeKind::Map) return read_object(object, type, depth);
    if (*kind == TypeKind::List) return read_array(object, type, depth);
    type = plain_type(*kind);
    const json::value* const format = object.if_contains("format");
    if (*kind == TypeKind::String && format != nullptr && format->is_string() && !object.contains("enum")) {
      type.kind = kind_of_schema_format(view_of(format->get_string()));
    }
    return true;
  }

  bool read_array(const json::object& object, SignatureType& type, int depth) {
    type = plain_type(TypeKind::List);
    type.element.emplace_back();
    const json::value* const items = object.if_contains("items");
    const bool one_type = items != nullptr && items->is_object() && !object.contains("prefixItems");
    if (one_type) return read_at("/items", *items, type.element[0], depth + 1);
    return depth < kMaxSignatureDepth || fail_too_deep();
  }

  bool read_object(const json::object& object, SignatureType& type, int depth) {
    type = plain_type(TypeKind::Map);
    const json::value* const properties = object.if_contains("properties");
    if (properties == nullptr) return true;
    if (!properties->is_object()) return fail_under("/properties", "expected an object");
    if (properties->get_object().size() > kMaxSignatureFields) return true;
    std::vector<std::string_view> required;
    if (!read_required(object, required)) return false;
    type.kind = TypeKind::Record;
    for (const auto& entry : properties->get_object()) {
      const std::string_view name(entry.key().data(), entry.key().size());
      if (!charge(1 + name.size())) return false;
      SignatureField field;
      field.name = name;
      if (!read_at("/properties/" + pointer_part(name), entry.value(), field.type, depth + 1)) return false;
      if (!std::binary_search(required.begin(), required.end(), name)) field.type.optional = true;
      type.fields.push_back(std::move(field));
    }
    for (const std::string_view name : required) {
      if (properties->get_object().contains(name)) continue;
      if (depth >= kMaxSignatureDepth) return fail_too_deep();
      type.fields.push_back({std::string(name), {}});
    }
    if (!can_be_written(type.fields)) type = plain_type(TypeKind::Map);      // the names are lost, no value is
    return true;
  }

  bool read_required(const json::object& object, std::vector<std::string_view>& required) {
    const json::value* const names = object.if_contains("required");
    if (names == nullptr || names->is_bool()) return true;      // true stood on each property in draft 3
    if (!names->is_array()) return fail_under("/required", "expected a list of names");
    if (!charge(names->get_array().size())) return false;
    for (const json::value& name : names->get_array()) {
      if (!name.is_string()) return fail_under("/required", "expected a list of names");
      required.push_back(view_of(name.get_string()));
      if (!charge(required.back().size())) return false;
    }
    std::sort(required.begin(), required.end());
    required.erase(std::unique(required.begin(), required.end()), required.end());
    return true;
  }

  static bool can_be_written(const std::vector<SignatureField>& fields) {
    if (fields.size() > kMaxSignatureFields) return false;
    for (std::size_t i = 0; i < fields.size(); ++i) {
      if (!is_field_name(fields[i].name)) return false;
      for (std::size_t k = 0; k < i; ++k) {
        if (same_field_name(fields[k].name, fields[i].name)) return false;
      }
    }
    return true;
  }

  bool read_enum(const json::value& values, SignatureType& type) {
    const json::array* const list = values.if_array();
    if (list == nullptr || list->empty()) return fail_under("/enum", "expected a list of values");
    if (!charge(list->size())) return false;
    TypeAlternatives all;
    for (const json::value& value : *list) {
      if (value.is_null()) {
        all.add_null();
      } else {
        all.add(plain_type(kind_of_json(value)));
      }
    }
    type = all.take();
    return true;
  }

  bool read_choices(std::string_view word, const json::value& choices, SignatureType& type, int depth) {
    const std::string part = '/' + std::string(word);
    const json::array* const list = choices.if_array();
    if (list == nullptr || list->empty()) return fail_under(part, "expected a list of schemas");
    TypeAlternatives all;
    for (std::size_t i = 0; i < list->size(); ++i) {
      SignatureType one;
      if (!read_at(part + '/' + std::to_string(i), (*list)[i], one, depth)) return false;
      if (is_null_schema((*list)[i])) {
        all.add_null();
      } else {
        all.add(std::move(one));
      }
    }
    type = all.take();
    return true;
  }

  // All of one is that one; of several the first that says something, since the others only forbid more.
  bool read_all_of(const json::object& object, SignatureType& type, int depth) {
    const json::value* const all = object.if_contains("allOf");
    if (all == nullptr) return true;
    if (!all->is_array()) return fail_under("/allOf", "expected a list of schemas");
    for (std::size_t i = 0; i < all->get_array().size(); ++i) {
      SignatureType one;
      if (!read_at("/allOf/" + std::to_string(i), all->get_array()[i], one, depth)) return false;
      if (type.kind == TypeKind::Any) type = one;
    }
    return true;
  }

  bool read_ref(const json::value& ref, SignatureType& type, int depth) {
    if (!ref.is_string()) return fail_under("/$ref", "expected a text");
    const std::string_view target = view_of(ref.get_string());
    if (!charge(target.size())) return false;
    for (const std::string_view place : {"$defs", "definitions"}) {
      const std::string prefix = "#/" + std::string(place) + '/';
      if (!target.starts_with(prefix)) continue;
      const json::value* const definitions = root_.is_object() ? root_.get_object().if_contains(place) : nullptr;
      const json::value* const found = definitions != nullptr && definitions->is_object()
                                           ? definitions->get_object().if_contains(
                                                 name_of_pointer_part(target.substr(prefix.size())))
                                           : nullptr;
      return found == nullptr ? fail_under("/$ref", "there is no such definition") : follow(*found, type, depth);
    }
    return fail_under("/$ref", "only definitions of the same document are followed, #/$defs/…");
  }

  bool follow(const json::value& definition, SignatureType& type, int depth) {
    if (std::find(open_.begin(), open_.end(), &definition) != open_.end()) {
      return fail_under("/$ref", "the definition leads back to itself, and no type can say that");
    }
    open_.push_back(&definition);
    const bool good = read(definition, type, depth);
    open_.pop_back();
    return good;
  }

  const json::value& root_;
  std::string pointer_;
  std::vector<const json::value*> open_;     // definitions that are being read, outermost first
  std::size_t nesting_ = 0, types_ = 0, work_ = 0;
  JsonSchemaError error_;
};

std::optional<json::value> parsed_json(std::string_view text, JsonSchemaError& error) {
  if (text.size() > kMaxJsonSchemaBytes) {
    error.message = "the schema is longer than " + std::to_string(kMaxJsonSchemaBytes) + " bytes";
    return std::nullopt;
  }
  json::parse_options options;
  options.max_depth = kMaxJsonDepth;
  json::error_code code;
  json::value value = json::parse(json::string_view(text.data(), text.size()), code, {}, options);
  if (!code) return value;
  error.message = code == json::error::too_deep ? "the schema is nested too deep" : "no JSON: " + code.message();
  return std::nullopt;
}

struct Member {
  const json::value* value = nullptr;
  std::string pointer;
};

// The first of these members that is there and is a schema.
Member find_schema(const json::object& object, std::string_view pointer,
                   std::initializer_list<std::string_view> names) {
  for (const std::string_view name : names) {
    const json::value* const value = object.if_contains(name);
    if (value != nullptr && (value->is_object() || value->is_bool())) {
      return {value, std::string(pointer) + '/' + std::string(name)};
    }
  }
  return {};
}

std::variant<SignatureType, JsonSchemaError> type_of(const json::value& schema, const std::string& at) {
  SchemaReader reader(schema, at);
  auto type = reader.read_type();
  if (!type) return reader.take_error();
  if (render_type(*type).size() > kMaxSignatureBytes) return JsonSchemaError{at, kTooLong};
  return *std::move(type);
}

}  // namespace

std::variant<SignatureType, JsonSchemaError> type_from_json_schema(std::string_view text) {
  JsonSchemaError error;
  const auto document = parsed_json(text, error);
  if (!document) return error;
  return type_of(*document, "");
}

std::variant<Signature, JsonSchemaError> signature_from_json_schema(std::string_view text) {
  JsonSchemaError error;
  const auto document = parsed_json(text, error);
  if (!document) return error;
  Signature signature;
  Member input, output{&*document, ""};
  if (const json::object* tool = document->if_object()) {
    const Member wrapped = find_schema(*tool, "", {"function"});
    if (wrapped.value != nullptr && wrapped.value->is_object()) tool = &wrapped.value->get_object();
    input = find_schema(*tool, wrapped.pointer, {"inputSchema", "input_schema", "parameters"});
    const Member result = find_schema(*tool, wrapped.pointer, {"outputSchema", "output_schema"});
    if (input.value != nullptr || result.value != nullptr) output = result;
  }
  if (input.value != nullptr) {
    SchemaReader reader(*input.value, input.pointer);
    if (!reader.read_params(signature)) return reader.take_error();
  }
  if (output.value != nullptr) {
    auto type = type_of(*output.value, output.pointer);
    if (auto* const refused = std::get_if<JsonSchemaError>(&type)) return std::move(*refused);
    signature.result = std::get<SignatureType>(std::move(type));
  }
  if (render_signature(signature).size() > kMaxSignatureBytes) return JsonSchemaError{"", kTooLong};
  return signature;
}

}  // namespace ptc
