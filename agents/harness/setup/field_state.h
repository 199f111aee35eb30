// Forms for the configuration of planners, as data: a page or a terminal shows the fields and hands back what the
// person changed. A store of fields knows no screen.
#pragma once
#include <boost/json/object.hpp>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ptcvm/result.hpp"

namespace ptcvm::harness {

// One choice of a field.
struct FieldOption {
  std::string value, label;
};

// One field of a form.
struct FieldState {
  std::string key, type, label;        // the type is text, select, checkbox or checkbox-group
  boost::json::value value;            // a text; true or false; a list of texts for a group
  std::string placeholder = {}, help = {};
  bool is_required = false, is_disabled = false, is_visible = true, is_pending = false;
  std::vector<FieldOption> options = {};
  std::string error = {};              // "" when the value is good
};

// A form at one moment.
struct ConfigSnapshot {
  std::vector<FieldState> fields;
  bool can_save = false;               // the configuration is complete, and nothing is loading or wrong
  bool is_pending = false;             // something is loading
  bool is_dirty = false;               // something was loaded or changed
  std::string summary;                 // one line for people
};

// A configuration, and whether a planner can run with it.
struct FullConfig {
  boost::json::object config;
  bool is_ready = false;
};

// A form of one planner. Belongs to one thread.
class ConfigStore {
 public:
  using Listener = std::function<void(const ConfigSnapshot&)>;
  virtual ~ConfigStore() = default;
  virtual ConfigSnapshot snapshot() const = 0;
  virtual FullConfig export_full_config() const = 0;
  // Changes a field. `now_ms` is the time of the host. Error: invalid_value for a field that is not there, or a value
  // of another type.
  virtual Result<void> set_field(std::string_view key, const boost::json::value& value, std::int64_t now_ms) = 0;
  // Calls the listener after each change. Returns a number for unsubscribe().
  std::uint64_t subscribe(Listener listener);
  void unsubscribe(std::uint64_t number);

 protected:
  void changed() const;   // tells the listeners

 private:
  std::map<std::uint64_t, Listener> listeners_;
  std::uint64_t count_ = 0;
};

// Returns why the form does not take the value of the field, or "": there is no such field, or no such option of it. A
// text field takes every text, and says itself what is wrong with it.
std::string refuse_field(const ConfigSnapshot& snapshot, std::string_view key, const boost::json::value& value);
// Returns the form as JSON, for pages.
boost::json::object snapshot_json(const ConfigSnapshot& snapshot);

}  // namespace ptcvm::harness
