#include "runtime/session/turn_inputs.h"

#include <utility>

#include "vm/value/vector.h"

namespace ptc {
namespace {

constexpr std::size_t kHistorySize = 3;

}  // namespace

std::optional<std::string> TurnInputs::load_context(std::string_view edn) {
  std::string message;
  const auto context = edn_.read_map(edn, "the context", message);
  if (!context) return message;
  set_context(*context);
  return std::nullopt;
}

std::optional<std::string> TurnInputs::load_history(std::string_view edn) {
  std::string message;
  const auto history = edn_.read(edn, {}, message);
  if (!history) return message;
  const Owned owner(run_.heap(), *history);
  if (history->is_nil()) return std::nullopt;
  if (!history->is_vector()) return "the history must be a vector";
  const std::uint32_t count = vector_count(*history);
  for (std::uint32_t back = 1; back <= kHistorySize && back <= count; ++back) {
    history_.push_back(vector_get(*history, count - back));
  }
  return std::nullopt;
}

std::optional<std::string> TurnInputs::load_budget(std::string_view edn) {
  std::string message;
  const auto budget = edn_.read_map(edn, "the budget", message);
  if (!budget) return message;
  run_.set_budget(*budget);
  return std::nullopt;
}

void TurnInputs::set_context(Value taken_map) {
  run_.heap().release(context_);
  context_ = taken_map;
}

void TurnInputs::begin_turn() {
  if (!context_.is_nil()) run_.set_context(retained(context_));
  give_history();
}

void TurnInputs::give_history() const {
  std::vector<Value> history;
  for (const Value v : history_) history.push_back(retained(v));
  run_.set_history(std::move(history));
}

void TurnInputs::add_result(Value borrowed) {
  history_.insert(history_.begin(), retained(borrowed));
  if (history_.size() <= kHistorySize) return;
  run_.heap().release(history_.back());
  history_.pop_back();
}

void TurnInputs::take_from_run() {
  forget();
  context_ = retained(run_.context());
  for (const Value& value : run_.history()) history_.push_back(retained(value));
}

void TurnInputs::forget() {
  run_.heap().release(context_);
  context_ = Value::nil();
  for (const Value v : history_) run_.heap().release(v);
  history_.clear();
}

}  // namespace ptc
