#include "api/crash_kit/run_history.h"

#include <algorithm>
#include <array>
#include <boost/json.hpp>
#include <optional>
#include <set>
#include <utility>

namespace ptcvm::crash {
namespace {

namespace json = boost::json;

// As `status` has them.
constexpr std::array<std::string_view, 8> kStates = {"intended", "committed", "failed",   "partial",
                                                     "pending",  "in_doubt",  "not_done", "given_up"};

std::optional<CallState> find_state(std::string_view name) {
  const auto at = std::find(kStates.begin(), kStates.end(), name);
  if (at == kStates.end()) return std::nullopt;
  return static_cast<CallState>(at - kStates.begin());
}

std::string text_of(const json::object& object, std::string_view name) {
  const json::value* const member = object.if_contains(name);
  const json::string* const text = member == nullptr ? nullptr : member->if_string();
  return text == nullptr ? std::string() : std::string(*text);
}

std::optional<Fact> read_fact(std::string_view line) {
  boost::system::error_code error;
  const json::value read = json::parse(line, error);
  const json::object* const object = error ? nullptr : read.if_object();
  if (object == nullptr || !object->contains("kind")) return std::nullopt;
  Fact fact;
  fact.line = line;
  const std::pair<std::string_view, std::string*> members[] = {
      {"kind", &fact.kind},     {"author", &fact.author}, {"key", &fact.key},
      {"id", &fact.id},         {"value", &fact.value},   {"status", &fact.status},
      {"tool", &fact.tool},     {"args", &fact.args},     {"effect", &fact.effect},
      {"idempotency_key", &fact.idempotency_key}};
  for (const auto& [name, member] : members) *member = text_of(*object, name);
  const json::value* const number = object->if_contains("number");
  if (number != nullptr) fact.number = number->to_number<std::uint64_t>(error);
  if (error) return std::nullopt;
  return fact;
}

bool settles(const Fact& fact) {
  return fact.kind == "effect_settled" || fact.kind == "effect_doubted" || fact.kind == "doubt_settled";
}

}  // namespace

Result<std::vector<Fact>> read_facts(std::string_view log_json) {
  std::vector<Fact> facts;
  while (!log_json.empty()) {
    const std::size_t end = std::min(log_json.find('\n'), log_json.size());
    auto fact = read_fact(log_json.substr(0, end));
    if (!fact) {
      return Error{Errc::store_failed, "line " + std::to_string(facts.size() + 1) + " of the log is not a fact", {}};
    }
    facts.push_back(std::move(*fact));
    log_json.remove_prefix(std::min(end + 1, log_json.size()));
  }
  return facts;
}

Calls calls_of(std::span<const Fact> facts) {
  Calls calls;
  for (const Fact& fact : facts) {
    if (fact.kind == "intent") {
      Call& call = calls[fact.idempotency_key];
      if (fact.number <= call.attempts) continue;
      call.tool = fact.tool;
      call.args = fact.args;
      call.effect = fact.effect;
      call.attempts = fact.number;
      call.by_person = false;
      call.state = CallState::Intended;
    } else if (settles(fact)) {
      const auto known = calls.find(fact.idempotency_key);
      const auto state = find_state(fact.status);
      if (known == calls.end() || !state) continue;
      Call& call = known->second;
      if (fact.number != call.attempts || !call.is_open()) continue;
      call.state = *state;
      call.by_person = fact.author == "person";
      if (*state == CallState::Failed || (*state == CallState::NotDone && call.by_person)) ++call.excused;
    }
  }
  return calls;
}

std::size_t most_open_calls(std::span<const Fact> facts) {
  std::set<std::string_view> open;
  std::size_t most = 0;
  for (const Fact& fact : facts) {
    if (fact.kind == "intent") open.insert(fact.idempotency_key);
    if (fact.kind == "effect_settled" || fact.kind == "doubt_settled") open.erase(fact.idempotency_key);
    most = std::max(most, open.size());
  }
  return most;
}

std::vector<Task> tasks_of(std::span<const Fact> facts) {
  std::vector<Task> tasks;
  for (const Fact& fact : facts) {
    const bool is_value = fact.kind == "task_committed" || fact.kind == "external_value";
    if (!is_value && fact.kind != "task_reset") continue;
    const auto is_same = [&fact](const Task& task) { return task.id == fact.id; };
    const auto held = std::find_if(tasks.begin(), tasks.end(), is_same);
    if (!is_value) {
      if (held != tasks.end()) tasks.erase(held);
    } else if (held == tasks.end()) {
      tasks.push_back({fact.id, fact.value});
    } else if (fact.kind == "external_value") {
      held->value = fact.value;
    }
  }
  return tasks;
}

std::string key_of_operation(std::span<const Fact> facts, const std::string& operation) {
  for (const Fact& fact : facts) {
    if (fact.kind == "operation_opened" && fact.id == operation) return fact.idempotency_key;
  }
  return {};
}

}  // namespace ptcvm::crash
