#include "agents/chain/plan/intent.h"

#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/value.hpp>
#include <initializer_list>

#include "agents/chain/text/model_json.h"

namespace ptcvm::chain {

namespace {

namespace json = boost::json;

// Reads the members of an object and remembers whether one was wrong.
class MemberReader {
 public:
  explicit MemberReader(const json::object& object) : object_(object) {}

  bool is_wrong() const { return is_wrong_; }

  std::string text(std::string_view name, bool is_required) {
    const json::value* const member = found(name);
    if (member == nullptr) {
      is_wrong_ |= is_required;
      return {};
    }
    if (member->is_string()) return std::string(member->get_string());
    is_wrong_ = true;
    return {};
  }

  std::string word(std::string_view name, std::initializer_list<std::string_view> words) {
    std::string text = this->text(name, true);
    if (std::find(words.begin(), words.end(), text) == words.end()) is_wrong_ = true;
    return text;
  }

  std::optional<std::vector<std::string>> texts(std::string_view name) {
    const json::value* const member = found(name);
    if (member == nullptr) return std::nullopt;
    std::vector<std::string> texts;
    if (!member->is_array()) {
      is_wrong_ = true;
      return texts;
    }
    for (const json::value& item : member->get_array()) {
      if (item.is_string()) {
        texts.emplace_back(item.get_string());
      } else {
        is_wrong_ = true;
      }
    }
    return texts;
  }

 private:
  const json::value* found(std::string_view name) const { return object_.if_contains(name); }

  const json::object& object_;
  bool is_wrong_ = false;
};

json::array array_of(const std::vector<std::string>& texts) { return json::array(texts.begin(), texts.end()); }

}  // namespace

std::optional<IntentProfile> read_intent(std::string_view model_text) {
  const std::optional<json::value> found = find_json(model_text);
  if (!found || !found->is_object()) return std::nullopt;
  MemberReader reader(found->get_object());
  IntentProfile intent;
  intent.category = reader.word("category", {"query", "action", "script", "unknown"});
  intent.complexity = reader.word("complexity", {"simple", "medium", "complex"});
  intent.summary = reader.text("summary", true);
  intent.goal = reader.text("goal", false);
  intent.entities = reader.texts("entities");
  intent.deliverables = reader.texts("deliverables").value_or(std::vector<std::string>());
  intent.constraints = reader.texts("constraints").value_or(std::vector<std::string>());
  intent.success_criteria = reader.texts("successCriteria").value_or(std::vector<std::string>());
  intent.assumptions = reader.texts("assumptions").value_or(std::vector<std::string>());
  intent.required_tools = reader.texts("requiredTools").value_or(std::vector<std::string>());
  if (reader.is_wrong()) return std::nullopt;
  return intent;
}

IntentProfile intent_of_input(std::string_view input) {
  IntentProfile intent;
  intent.summary = intent.goal = std::string(input);
  return intent;
}

json::object intent_json(const IntentProfile& intent) {
  json::object object{{"category", intent.category}, {"summary", intent.summary}};
  if (intent.entities) object["entities"] = array_of(*intent.entities);
  object["complexity"] = intent.complexity;
  object["goal"] = intent.goal;
  object["deliverables"] = array_of(intent.deliverables);
  object["constraints"] = array_of(intent.constraints);
  object["successCriteria"] = array_of(intent.success_criteria);
  object["assumptions"] = array_of(intent.assumptions);
  object["requiredTools"] = array_of(intent.required_tools);
  return object;
}

}  // namespace ptcvm::chain
