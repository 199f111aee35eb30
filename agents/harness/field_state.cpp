#include "agents/harness/field_state.h"

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
