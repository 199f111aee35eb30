// What is set up in a room: the planner, how it sends, its configuration, the form for the configuration, and the link
// that says the same. Belongs to one thread.
#pragma once
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "agents/harness/setup/config_stores.h"
#include "agents/harness/setup/deep_link.h"
#include "tools/ptcvm/harness/harness_planners.h"

namespace ptcvm::cli {

// A planner that may plan.
struct PlannerChoice {
  std::uint64_t revision = 0;          // grows with each change
  std::string planner = "off";
  harness::SendMode mode = harness::SendMode::Approve;
  boost::json::object config;
  boost::json::value seed;             // the dehydrated configuration, or null
  bool is_ready = false;
};

// See the top of this file.
class RoomSetup {
 public:
  // `usual` is the planner of the command line: an id, "off", or the file of a program. Error: invalid_value when its
  // configuration is not complete.
  static Result<std::unique_ptr<RoomSetup>> make(const PlannerParts& usual, harness::SendMode mode);

  const PlannerChoice& choice() const { return choice_; }
  // Returns {"planner", "mode", "ready", "summary", "planners", "form", "link"} for pages.
  boost::json::object shown() const;

  // Takes what the journal keeps. A note that cannot be read changes nothing.
  void take_note(const boost::json::object& note);
  // Returns what the journal should keep.
  boost::json::object note() const;

  // Chooses the planner and the mode. Error: invalid_value.
  Result<void> choose(const std::string& planner, harness::SendMode mode);
  // Changes a field of the form. Errors: as ConfigStore::set_field(); invalid_value for what the field does not have as
  // an option; wrong_state when there is no form.
  Result<void> set_field(std::string_view key, const boost::json::value& value, std::int64_t now_ms);
  // Returns what is wrong with the value that the field has now, or "".
  std::string field_error(std::string_view key) const;
  // Applies the form. Error: wrong_state when the form is not complete.
  Result<void> apply();
  // Takes a link. Errors: as DeepLink::read(); wrong_state when it is old.
  Result<void> open_link(const boost::json::object& link);
  // Returns the URL of a document that the link needs and nobody has loaded, or "".
  std::string missing_document(const boost::json::object& link) const;
  void add_document(const std::string& url, boost::json::object document);

  // Returns what the form wants to have loaded now, and takes it.
  std::optional<harness::PendingLoad> due_load(std::int64_t now_ms);
  void loaded(const harness::PendingLoad& load, Result<boost::json::object> document);

 private:
  RoomSetup();
  void changed();
  void make_form();
  Result<boost::json::object> document(const std::string& url) const;

  std::string program_;                                 // the file of a program, or ""
  bool uses_program_ = false;
  std::map<std::string, boost::json::object> documents_;   // scenarios that are there, by URL
  harness::DeepLink link_;
  boost::json::object written_;                         // the link as it was written last
  std::unique_ptr<harness::ConfigStore> form_;
  harness::ScenarioConfigStore* scenario_form_ = nullptr;
  PlannerChoice choice_;
};

}  // namespace ptcvm::cli
