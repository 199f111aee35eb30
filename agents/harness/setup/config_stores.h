// The forms of the shipped planners.
//
// ScenarioConfigStore loads a scenario and lets the person choose. It has no network and no clock: the host asks what
// to load, loads it, and hands the document in.
//
//   if (const auto load = store.due_load(now_ms)) store.loaded(load->number, fetch(load->url));
//
// An edit of the URL waits 350 ms for further edits. A document that comes for an older URL changes nothing.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agents/harness/setup/field_state.h"
#include "agents/harness/setup/scenario.h"

namespace ptcvm::harness {

// How long the form waits for further edits of a URL.
inline constexpr std::int64_t kUrlDebounceMs = 350;

// The form of "llm-drafter".
class DrafterConfigStore final : public ConfigStore {
 public:
  // `initial` is a configuration that was applied before; it only fills the form.
  explicit DrafterConfigStore(const boost::json::object& initial = {});
  ConfigSnapshot snapshot() const override;
  FullConfig export_full_config() const override;
  Result<void> set_field(std::string_view key, const boost::json::value& value, std::int64_t now_ms) override;

 private:
  std::string words_error() const;
  std::string system_append_, target_words_;
  bool is_dirty_ = false;
};

// A document that the host should load.
struct PendingLoad {
  std::uint64_t number = 0;   // for loaded()
  std::string url;
};

// The form of "scenario-v0.3"; see the top of this file.
class ScenarioConfigStore final : public ConfigStore {
 public:
  // `initial` is a configuration that was applied before. Its scenario is used, or its URL is loaded; its choices count
  // once, after the first load.
  explicit ScenarioConfigStore(const boost::json::object& initial = {});
  ConfigSnapshot snapshot() const override;
  FullConfig export_full_config() const override;
  Result<void> set_field(std::string_view key, const boost::json::value& value, std::int64_t now_ms) override;

  // Returns what to load now, once. Returns nullopt when there is nothing, or an edit is too young.
  std::optional<PendingLoad> due_load(std::int64_t now_ms);
  // Returns the time at which due_load() has something, or nullopt.
  std::optional<std::int64_t> wake_time_ms() const;
  // Takes the document of a load, or says why there is no document.
  void loaded(std::uint64_t number, Result<boost::json::object> document);

 private:
  struct Load {
    std::uint64_t number = 0;
    std::int64_t due_ms = 0;
    bool is_begun = false;
  };
  void set_url(std::string url, std::int64_t due_ms);
  void use(boost::json::object document);
  void derive(std::string_view agent_id);
  void forget_scenario();
  const ScenarioAgent* agent() const;
  std::string steps_error() const;
  FieldState agent_field() const;
  FieldState tools_field() const;
  FieldState core_tools_field() const;

  boost::json::object initial_;
  bool applies_initial_ = true;           // until the first scenario is there
  std::string url_, url_error_, agent_id_, steps_, instructions_;
  std::optional<Scenario> scenario_;
  boost::json::object document_;
  std::vector<std::string> tools_, core_tools_;
  std::optional<Load> load_;
  std::uint64_t loads_ = 0;
  bool is_dirty_ = false;
};

}  // namespace ptcvm::harness
