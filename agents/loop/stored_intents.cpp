#include "agents/loop/stored_intents.h"

#include <algorithm>
#include <boost/json/parse.hpp>

#include "agents/loop/doubt_names.h"
#include "agents/loop/stored_facts.h"

namespace ptcvm::loop {

namespace json = boost::json;

namespace {

constexpr std::size_t kMostShownArgumentBytes = 256;

std::string again_mark(const std::string& path) { return "again/" + path; }

}  // namespace

bool is_order(const Operation& operation) {
  return operation.kind == OperationKind::Model || operation.kind == OperationKind::Tool;
}

std::string intent_key(const Operation& order) {
  return "intent/" + order.path + (order.kind == OperationKind::Model ? "/" + order.key : std::string());
}

// The log has short arguments for people who look at it. The run knows the arguments from its program.
std::string intent_body(const Operation& order) {
  AnswerBody body{order.path, order.key, {}};
  if (order.args_json.size() <= kMostShownArgumentBytes) body.args = order.args_json;
  return write_answer(body);
}

std::string first_intent_key(const std::string& key) {
  const std::size_t mark = key.rfind('~');
  if (mark == std::string::npos || mark + 1 == key.size()) return key;
  const bool is_number = std::all_of(key.begin() + static_cast<std::ptrdiff_t>(mark) + 1, key.end(),
                                     [](char c) { return c >= '0' && c <= '9'; });
  return is_number ? key.substr(0, mark) : key;
}

std::string answered_path(std::string_view body) {
  boost::system::error_code error;
  const json::value value = json::parse(body, error);
  return error || !value.is_object() ? std::string() : fact_text(value.get_object(), "path");
}

void forget_intent(std::string_view rejected, std::set<std::string>& intents) {
  const std::string call = doubted_call(answered_path(rejected));
  if (call.empty()) return;
  intents.erase("intent/" + call);
  intents.insert(again_mark(call));
}

Result<std::string> new_intent_key(const Operation& order, const HostLog& log, std::set<std::string>& intents) {
  const std::string first = intent_key(order);
  if (order.kind != OperationKind::Tool || intents.erase(again_mark(order.path)) == 0) return first;
  for (std::uint64_t number = 2;; ++number) {
    std::string key = first + "~" + std::to_string(number);
    const auto known = log.find(key);
    if (!known) return known.error();
    if (!*known) return key;
  }
}

}  // namespace ptcvm::loop
