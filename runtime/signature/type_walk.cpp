#include "runtime/signature/type_walk.h"

#include <algorithm>
#include <optional>

#include "runtime/signature/conversions.h"
#include "runtime/signature/type_names.h"
#include "schema/closest_name.h"
#include "vm/value/map.h"
#include "vm/value/map_shape.h"
#include "vm/value/print.h"
#include "vm/value/shown_value.h"
#include "vm/value/string.h"
#include "vm/value/utf8.h"
#include "vm/value/vector.h"

namespace ptc {
namespace {

using TypeKind = SignatureType::Kind;

constexpr std::size_t kMaxShownName = 64;
constexpr std::size_t kMaxListedNames = 20;

// What it would be called in a signature, where there is a word.
std::string_view kind_word(Value v) {
  switch (v.tag) {
    case Tag::Int:
    case Tag::BigInt: return "int";
    case Tag::Float: return "float";
    case Tag::False:
    case Tag::True: return "bool";
    case Tag::Vector: return "list";
    case Tag::Instant: return "datetime";
    default: return kind_text(v);
  }
}

bool has_kind(TypeKind kind, Value v) {
  switch (kind) {
    case TypeKind::Any: return true;
    case TypeKind::String: return v.is_string();
    case TypeKind::Int: return v.is_integer();
    case TypeKind::Float: return v.is_number();
    case TypeKind::Bool: return v.is(Tag::True) || v.is(Tag::False);
    case TypeKind::Keyword: return v.is_keyword();
    case TypeKind::Date: return v.is(Tag::Date);
    case TypeKind::Datetime: return v.is(Tag::Instant);
    case TypeKind::Duration: return v.is(Tag::Duration);
    case TypeKind::Map:
    case TypeKind::Record: return v.is_map();
    case TypeKind::List: return v.is_vector();
  }
  return false;
}

std::string expected(const SignatureType& type) { return "expected " + std::string(signature_type_name(type.kind)); }

std::string with_underscores(std::string_view name) {
  std::string text(name);
  std::replace(text.begin(), text.end(), '-', '_');
  return text;
}

// Returns the name for a key of arguments, or nullopt when the key cannot be a name.
std::optional<std::string_view> name_of_key(Value key) {
  if (key.is_string()) return string_view_of(key);
  if (key.is_keyword()) return key.keyword->name();
  return std::nullopt;
}

std::string known_names(const std::vector<SignatureField>& params, std::string_view name) {
  if (params.empty()) return "there are none";
  std::string text = "known are ";
  std::vector<std::string_view> names;
  for (const SignatureField& param : params) names.push_back(param.name);
  for (std::size_t i = 0; i < names.size() && i < kMaxListedNames; ++i) {
    text += (i == 0 ? "" : ", ") + std::string(names[i]);
  }
  if (names.size() > kMaxListedNames) text += " and " + std::to_string(names.size() - kMaxListedNames) + " more";
  const std::string_view closest = closest_name(name, names);
  return closest.empty() ? text : text + "; did you mean " + std::string(closest) + "?";
}

constexpr std::uint32_t bit_of(Tag tag) { return 1u << static_cast<unsigned>(tag); }

// Tags of scalars that stay as they are, a bit each. Almost all are: this spares them the way that reports and
// converts.
std::uint32_t fitting_tags(TypeKind kind) {
  switch (kind) {
    case TypeKind::Any: return UINT32_MAX;
    case TypeKind::String: return bit_of(Tag::String);
    case TypeKind::Int: return bit_of(Tag::Int) | bit_of(Tag::BigInt);
    case TypeKind::Float: return bit_of(Tag::Float);
    case TypeKind::Bool: return bit_of(Tag::True) | bit_of(Tag::False);
    case TypeKind::Keyword: return bit_of(Tag::Keyword);
    case TypeKind::Map: return bit_of(Tag::Map);
    default: return 0;
  }
}

bool has_fitting_tag(std::uint32_t fitting, Value v) { return (fitting >> static_cast<unsigned>(v.tag) & 1u) != 0; }

// What a walk came to: the value as it was unless all of it fits.
CoercionResult finished(Heap& heap, TypeWalk& walk, Value taken, Value changed) {
  CoercionResult result{taken, walk.take_mismatches(), false};
  if (changed.is_absent()) return result;
  result.changed = result.ok();
  heap.release(result.ok() ? taken : changed);
  if (result.ok()) result.value = changed;
  return result;
}

}  // namespace

TypeWalk::~TypeWalk() {
  for (const auto& [visit, value] : converted_) heap_.release(value);
  for (const auto& [fields, known] : fields_) {
    if (known.keys != nullptr) heap_.release(known.keys);
  }
}

Value TypeWalk::walk(const SignatureType& type, Value value) {
  if (type.kind == TypeKind::Any || (type.optional && value.is_nil()) || is_full()) return Value::absent();
  if (type.kind == TypeKind::List || type.kind == TypeKind::Record) {
    return value.is_heap() && value.object->rc > 1 ? walk_shared(type, value) : walk_collection(type, value);
  }
  return walk_scalar(type, value);
}

Value TypeWalk::walk_scalar(const SignatureType& type, Value value) {
  if (has_kind(type.kind, value)) {
    if (type.kind != TypeKind::Float || value.is_float() || mode_ == Mode::Check) return Value::absent();
    const Value real = integer_as_float(value);
    if (real.is_absent()) report("expected float, got an int that no float holds exactly", shown_value(heap_, value));
    return real;
  }
  const Value converted = mode_ == Mode::Convert ? converted_scalar(heap_, type.kind, value) : Value::absent();
  if (converted.is_absent()) report_kind(type, value);
  return converted;
}

Value TypeWalk::walk_collection(const SignatureType& type, Value value) {
  if (has_kind(type.kind, value)) {
    return type.kind == TypeKind::List ? walk_elements(type.element[0], value) : walk_fields(type.fields, value);
  }
  if (type.kind == TypeKind::List && value.is_set() && mode_ == Mode::Convert) {
    Owned items(heap_, set_items(heap_, value));
    const Value changed = walk_elements(type.element[0], items.get());
    return changed.is_absent() ? items.take() : changed;
  }
  report_kind(type, value);
  return Value::absent();
}

Value TypeWalk::walk_shared(const SignatureType& type, Value value) {
  const Visit visit{&type, value.object};
  if (const auto known = converted_.find(visit); known != converted_.end()) return retained(known->second);
  if (visited_.meet(visit.first, visit.second)) return Value::absent();
  const Value changed = walk_collection(type, value);
  if (!changed.is_absent()) converted_.emplace(visit, retained(changed));
  return changed;
}

Value TypeWalk::walk_elements(const SignatureType& element, Value vector) {
  Value changed = Value::absent();
  if (element.kind == TypeKind::Any) return changed;
  const KnownFields* const known = element.kind == TypeKind::Record ? &known_fields(element.fields) : nullptr;
  const std::uint32_t fitting = fitting_tags(element.kind);
  Value scratch = Value::nil();
  std::span<const Value> chunk = vector_chunk(vector, 0, scratch);
  for (std::uint32_t i = 0; !chunk.empty() && !is_full(); chunk = vector_chunk(vector, i, scratch)) {
    for (const Value item : chunk) {
      const bool stays = known != nullptr ? is_known_record(*known, item) : has_fitting_tag(fitting, item);
      if (!stays) changed = walk_element(element, vector, i, changed);
      ++i;
    }
  }
  return changed;
}

// Returns `changed` with the checked element; `changed` is the vector's copy, Absent before the first change.
Value TypeWalk::walk_element(const SignatureType& element, Value vector, std::uint32_t i, Value changed) {
  path_.push_back({{}, i});
  const Value item = walk(element, vector_at(vector, i));
  path_.pop_back();
  if (item.is_absent()) return changed;
  return vector_set(heap_, changed.is_absent() ? retained(vector) : changed, i, item);
}

// A record with the keys of the one before, all of whose fields stay as they are. Shared ones are looked at once.
bool TypeWalk::is_known_record(const KnownFields& known, Value value) const {
  if (known.keys == nullptr || !value.is_map() || value.object->rc != 1) return false;
  if (shared_keys(value) != known.keys) return false;
  const Value* const values = static_cast<SmallMap*>(value.object)->values();
  for (std::size_t i = 0; i < known.places.size(); ++i) {
    const std::uint32_t place = known.places[i];
    if (place == kNowhere || !has_fitting_tag(known.fitting[i], values[place])) return false;
  }
  return true;
}

Value TypeWalk::walk_fields(const std::vector<SignatureField>& fields, Value map) {
  Value changed = Value::absent();
  KnownFields& known = known_fields(fields);
  KeyArray* const keys = shared_keys(map);
  if (keys != nullptr && keys != known.keys) find_places(fields, map, keys, known);
  for (std::size_t i = 0; i < fields.size() && !is_full(); ++i) {
    const SignatureField& field = fields[i];
    Value key = Value::nil();
    Value value = Value::absent();
    if (keys == nullptr) {
      value = find(map, field.name, known.names[i], &key);
    } else if (known.places[i] != kNowhere) {
      key = keys->keys()[known.places[i]];
      value = static_cast<SmallMap*>(map.object)->values()[known.places[i]];
    }
    if (!value.is_absent() && has_fitting_tag(known.fitting[i], value)) continue;
    path_.push_back({field.name, 0});
    if (value.is_absent()) {
      if (!field.type.optional) report(expected(field.type) + ", the field is missing");
    } else if (const Value fitted = walk(field.type, value); !fitted.is_absent()) {
      if (changed.is_absent()) changed = retained(map);
      changed = map_assoc(heap_, changed, retained(key), fitted);
    }
    path_.pop_back();
  }
  return changed;
}

void TypeWalk::find_places(const std::vector<SignatureField>& fields, Value map, KeyArray* keys, KnownFields& known) {
  known.places.assign(fields.size(), kNowhere);
  for (std::size_t i = 0; i < fields.size(); ++i) {
    Value key = Value::nil();
    if (find(map, fields[i].name, known.names[i], &key).is_absent()) continue;
    const Value* const first = keys->keys();
    known.places[i] = static_cast<std::uint32_t>(
        std::find_if(first, first + keys->extra, [key](Value other) { return same_word(key, other); }) - first);
  }
  if (known.keys != nullptr) heap_.release(known.keys);
  known.keys = keys;
  ++keys->rc;
}

// Keys as the handler wants them; an entry that changes its key or value is put in anew.
Value TypeWalk::walk_arguments(const std::vector<SignatureField>& params, Value map) {
  if (!map.is_map()) {
    report("expected a map of arguments by name, got " + std::string(kind_word(map)), shown_value(heap_, map));
    return Value::absent();
  }
  Value changed = Value::absent();
  const std::vector<Value>& names = known_fields(params).names;
  for (std::size_t i = 0; i < params.size() && !is_full(); ++i) {
    const SignatureField& param = params[i];
    path_.push_back({param.name, 0});
    Value key = Value::nil();
    const Value value = find(map, param.name, names[i], &key);
    if (value.is_absent()) {
      if (!param.type.optional) report(expected(param.type) + ", the argument is missing");
    } else {
      const Value fitted = walk(param.type, value);
      const std::string name = with_underscores(param.name);
      const bool renamed = !key.is_string() || string_view_of(key) != name;
      if (!fitted.is_absent() || renamed) {
        if (changed.is_absent()) changed = retained(map);
        const Value next = fitted.is_absent() ? retained(value) : fitted;
        if (renamed) changed = map_dissoc(heap_, changed, key);
        changed = map_assoc(heap_, changed, string_of(heap_, name), next);
      }
    }
    path_.pop_back();
  }
  refuse_unknown(params, map);
  return changed;
}

void TypeWalk::refuse_unknown(const std::vector<SignatureField>& params, Value map) {
  for (MapCursor entry(heap_, map); !is_full() && entry.next();) {
    const auto name = name_of_key(entry.key());
    if (!name) {
      report("expected names of arguments, got a key of kind " + std::string(kind_word(entry.key())));
      continue;
    }
    const auto param = std::find_if(params.begin(), params.end(),
                                    [&](const SignatureField& p) { return same_field_name(p.name, *name); });
    if (param == params.end()) {
      report_at(*name, "unknown argument; " + known_names(params, *name));
      continue;
    }
    Value key = Value::nil();
    find(map, param->name, known_fields(params).names[static_cast<std::size_t>(param - params.begin())], &key);
    if (!same_word(key, entry.key())) report_at(*name, "the argument is given twice");
  }
}

TypeWalk::KnownFields& TypeWalk::known_fields(const std::vector<SignatureField>& fields) {
  KnownFields& known = fields_[&fields];
  if (known.names.size() == fields.size()) return known;
  for (const SignatureField& field : fields) {
    known.names.push_back(Value::of(heap_.intern(field.name)));
    known.fitting.push_back(fitting_tags(field.type.kind));
  }
  return known;
}

// Exactly, then with "-" for "_" and the other way round.
Value TypeWalk::find(Value map, const std::string& name, Value keyword, Value* found_key) {
  const Value exact = map_find_flexible(heap_, map, keyword, found_key);
  if (!exact.is_absent() || name.find('_') == std::string::npos) return exact;
  std::string hyphens = name;
  std::replace(hyphens.begin(), hyphens.end(), '_', '-');
  return map_find_flexible(heap_, map, Value::of(heap_.intern(hyphens)), found_key);
}

void TypeWalk::report(std::string message, std::string found) {
  if (is_full()) return;
  std::string path(root_);
  for (const Place& place : path_) {
    path += place.name.empty() ? '[' + std::to_string(place.index) + ']' : '.' + std::string(place.name);
  }
  found_.push_back({std::move(path), std::move(message), std::move(found)});
}

void TypeWalk::report_kind(const SignatureType& type, Value value) {
  if (is_full()) return;
  report(expected(type) + ", got " + std::string(kind_word(value)), shown_value(heap_, value));
}

void TypeWalk::report_at(std::string_view name, std::string message) {
  std::string shown(utf8_prefix(name, kMaxShownName));
  if (!is_field_name(shown)) {
    std::string quoted;
    append_quoted(quoted, shown);
    shown = std::move(quoted);
  }
  path_.push_back({shown, 0});
  report(std::move(message));
  path_.pop_back();
}

std::vector<SignatureMismatch> check_type(Heap& heap, const SignatureType& type, Value value, std::string_view root,
                                          std::size_t max_mismatches) {
  TypeWalk walk(heap, root, TypeWalk::Mode::Check, max_mismatches);
  walk.walk(type, value);
  return walk.take_mismatches();
}

std::string mismatch_text(const std::vector<SignatureMismatch>& mismatches) {
  std::string text;
  for (const SignatureMismatch& mismatch : mismatches) {
    if (!text.empty()) text += "; ";
    text += mismatch.path + ": " + mismatch.message;
  }
  return text;
}

CoercionResult coerce_type(Heap& heap, const SignatureType& type, Value taken, std::string_view root) {
  TypeWalk walk(heap, root, TypeWalk::Mode::Convert, kMaxMismatches);
  return finished(heap, walk, taken, walk.walk(type, taken));
}

CoercionResult bind_arguments(Heap& heap, const Signature& signature, Value taken_arguments, std::string_view root) {
  if (!signature.has_params) return {taken_arguments, {}, false};
  TypeWalk walk(heap, root, TypeWalk::Mode::Convert, kMaxMismatches);
  return finished(heap, walk, taken_arguments, walk.walk_arguments(signature.params, taken_arguments));
}

}  // namespace ptc
