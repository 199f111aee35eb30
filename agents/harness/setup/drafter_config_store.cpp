#include <algorithm>
#include <boost/json/serialize.hpp>

#include "agents/harness/facts/fact.h"
#include "agents/harness/facts/json_members.h"
#include "agents/harness/setup/config_stores.h"
#include "agents/harness/setup/planner_seed.h"

namespace ptcvm::harness {

namespace json = boost::json;

DrafterConfigStore::DrafterConfigStore(const json::object& initial)
    : system_append_(text_of(initial, "systemAppend")), target_words_("0") {
  if (const auto words = number_of(initial, "targetWords")) {
    constexpr double kShownAtMost = 1e9;   // what is out of range is an error of the field
    target_words_ = std::to_string(static_cast<std::int64_t>(std::clamp(*words, -kShownAtMost, kShownAtMost)));
  }
}

std::string DrafterConfigStore::words_error() const {
  const auto words = number_of({{"words", target_words_}}, "words");
  return wrong_words(words.value_or(-1));
}

ConfigSnapshot DrafterConfigStore::snapshot() const {
  const std::string error = words_error();
  ConfigSnapshot snapshot;
  snapshot.fields = {{.key = "systemAppend",
                      .type = "text",
                      .label = "Further instructions",
                      .value = json::value(system_append_)},
                     {.key = "targetWords",
                      .type = "text",
                      .label = "Words of a draft",
                      .value = json::value(target_words_),
                      .help = "0 means any length",
                      .error = error}};
  snapshot.can_save = error.empty();
  snapshot.is_dirty = is_dirty_;
  snapshot.summary = summarize_applied(kDrafterPlanner, export_full_config().config);
  return snapshot;
}

FullConfig DrafterConfigStore::export_full_config() const {
  return hydrate(kDrafterPlanner, {{"systemAppend", system_append_}, {"targetWords", target_words_}}, {}).value();
}

Result<void> DrafterConfigStore::set_field(std::string_view key, const json::value& value, std::int64_t) {
  const bool is_words = key == "targetWords";
  if (!is_words && key != "systemAppend") {
    return Error{Errc::invalid_value, "there is no field \"" + std::string(key) + '"', std::nullopt, {}};
  }
  if (!value.is_string() && !(is_words && value.is_number())) {
    return Error{Errc::invalid_value, std::string(key) + ": the value must be a text", std::nullopt, {}};
  }
  std::string text = value.is_string() ? std::string(value.get_string()) : json::serialize(value);
  (is_words ? target_words_ : system_append_) = std::move(text);
  is_dirty_ = true;
  changed();
  return {};
}

}  // namespace ptcvm::harness
