#include "runtime/durable/renamed_fact.h"

#include <boost/json.hpp>
#include <string>

#include "runtime/signature/json_pointer.h"
#include "schema/fact_kind.h"

namespace ptc {
namespace {

// Returns nullopt when the key does not begin like that.
std::optional<std::string> with_other_beginning(std::string_view key, const std::string& begin,
                                                const std::string& other) {
  if (!key.starts_with(begin)) return std::nullopt;
  return other + std::string(key.substr(begin.size()));
}

// `name` is the id as keys have it: escaped, or, in older versions, as it is.
std::string renamed_key(const std::string& key, const std::string& name, const std::string& other) {
  if (auto in_task = with_other_beginning(key, name + "/task:", other + "/task:")) return *in_task;
  return with_other_beginning(key, "run:" + name + "@", "run:" + other + "@").value_or(key);
}

void rename_operation(Fact& fact, std::string_view run, std::string_view new_run) {
  const std::string name(run), other(new_run);
  fact.idempotency_key = renamed_key(fact.idempotency_key, name, other);
  boost::system::error_code failed;
  boost::json::value operation = boost::json::parse(fact.text, failed);
  if (failed || !operation.is_object()) return;
  boost::json::value* const key = operation.as_object().if_contains("key");
  if (key == nullptr || !key->is_string()) return;
  *key = renamed_key(std::string(key->as_string()), name, other);
  fact.text = boost::json::serialize(operation);
}

}   // namespace

Fact renamed_fact(Fact fact, std::string_view run, std::string_view new_run) {
  if (fact.kind == FactKind::OperationOpened) {   // sessions write the id as it is
    rename_operation(fact, run, new_run);
    return fact;
  }
  const std::string before = fact.idempotency_key;
  if (before.empty()) return fact;
  const std::string other = pointer_part(new_run);
  fact.idempotency_key = renamed_key(before, pointer_part(run), other);
  if (fact.idempotency_key == before) fact.idempotency_key = renamed_key(before, std::string(run), other);
  const std::string begin = std::string(fact_info(fact.kind).key) + '/';
  if (auto key = with_other_beginning(fact.key, begin + before, begin + fact.idempotency_key)) fact.key = *key;
  return fact;
}

std::optional<std::string> run_named_by(std::span<const Fact> facts) {
  constexpr std::string_view kOutside = "run:", kTask = "/task:";
  for (const Fact& fact : facts) {
    std::string_view key = fact.idempotency_key;
    const bool is_outside = fact.task.empty() && key.starts_with(kOutside);
    if (is_outside) key.remove_prefix(kOutside.size());
    const std::size_t end = is_outside ? key.rfind('@') : key.find(kTask);
    if (!key.empty() && end != std::string_view::npos) return name_of_pointer_part(key.substr(0, end));
  }
  return std::nullopt;
}

}   // namespace ptc
