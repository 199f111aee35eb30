#include "agents/harness/setup/field_state.h"

#include <algorithm>
#include <boost/json/array.hpp>

namespace ptcvm::harness {

namespace json = boost::json;

std::uint64_t ConfigStore::subscribe(Listener listener) {
  listeners_.emplace(++count_, std::move(listener));
  return count_;
}

void ConfigStore::unsubscribe(std::uint64_t number) { listeners_.erase(number); }

void ConfigStore::changed() const {
  if (listeners_.empty()) return;
  const ConfigSnapshot now = snapshot();
  const auto listeners = listeners_;   // a listener may unsubscribe
  for (const auto& [number, listener] : listeners) listener(now);
}

namespace {

std::string unknown_option(const FieldState& field, std::string_view value) {
  std::string known;
  for (const FieldOption& option : field.options) known.append(known.empty() ? "" : ", ").append(option.value);
  const std::string refused = field.key + ": there is no \"" + std::string(value) + "\"; ";
  return refused + (known.empty() ? "nothing can be chosen yet" : "there are " + known);
}

bool is_option(const FieldState& field, std::string_view value) {
  return std::ranges::find(field.options, value, &FieldOption::value) != field.options.end();
}

}  // namespace

std::string refuse_field(const ConfigSnapshot& snapshot, std::string_view key, const json::value& value) {
  const auto field = std::ranges::find(snapshot.fields, key, &FieldState::key);
  if (field == snapshot.fields.end()) {
    std::string known;
    for (const FieldState& other : snapshot.fields) known.append(known.empty() ? "" : ", ").append(other.key);
    return "there is no field \"" + std::string(key) + "\"; there are " + known;
  }
  if (field->type == "checkbox" && !value.is_bool()) return field->key + ": the value must be true or false";
  if (field->type == "select") {
    if (!value.is_string()) return field->key + ": the value must be a text";
    return is_option(*field, value.get_string()) ? "" : unknown_option(*field, value.get_string());
  }
  if (field->type != "checkbox-group") return {};
  if (!value.is_array()) return field->key + ": the value must be a list";
  for (const json::value& item : value.get_array()) {
    if (!item.is_string()) return field->key + ": the value must be a list of texts";
    if (!is_option(*field, item.get_string())) return unknown_option(*field, item.get_string());
  }
  return {};
}

json::object snapshot_json(const ConfigSnapshot& snapshot) {
  json::array fields;
  for (const FieldState& field : snapshot.fields) {
    json::array options;
    for (const FieldOption& option : field.options) {
      options.push_back(json::object{{"value", option.value}, {"label", option.label}});
    }
    fields.push_back(json::object{{"key", field.key},
                                  {"type", field.type},
                                  {"label", field.label},
                                  {"value", field.value},
                                  {"placeholder", field.placeholder},
                                  {"help", field.help},
                                  {"required", field.is_required},
                                  {"disabled", field.is_disabled},
                                  {"visible", field.is_visible},
                                  {"pending", field.is_pending},
                                  {"options", std::move(options)},
                                  {"error", field.error.empty() ? json::value() : json::value(field.error)}});
  }
  return {{"fields", std::move(fields)},      {"canSave", snapshot.can_save}, {"pending", snapshot.is_pending},
          {"dirty", snapshot.is_dirty},       {"summary", snapshot.summary}};
}

}  // namespace ptcvm::harness
