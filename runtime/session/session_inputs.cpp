// What a session is given before its first turn: definitions, context, journal, history and budget as EDN text.
//
// Functions in that text are compiled and made by the run itself: their program is one fn form, which runs to its end
// without calling anything, with the captured values as its context.
#include "runtime/text/edn.h"
#include "runtime/engine/function_text.h"
#include "runtime/session/session.h"
#include "vm/value/map.h"
#include "vm/value/print.h"
#include "vm/value/string.h"
#include "vm/value/vector.h"

namespace ptc {
namespace {

constexpr std::size_t kMaxTurnsBack = 3;

std::string position_text(const EdnError& error) { return error.message + " at byte " + std::to_string(error.offset); }

// Keywords and strings by their text.
std::optional<std::string> name_of(Value key) {
  if (key.is_keyword()) return std::string(key.keyword->name());
  if (key.is_string()) return std::string(string_view_of(key));
  return std::nullopt;
}

}  // namespace

Value Session::make_function(std::string_view source, Value borrowed_captured,
                             std::span<const std::string_view> names) {
  std::vector<std::string> captured;
  for (MapCursor entry(heap(), borrowed_captured); entry.next();) {
    auto name = name_of(entry.key());
    if (!name) return Value::absent();
    captured.push_back(std::move(*name));
  }
  const std::vector<std::string_view> captured_names(captured.begin(), captured.end());
  const auto program = function_program(source, captured_names);
  if (!program) return Value::absent();
  CompileRequest request;
  request.source = *program;
  request.memory_names = names;
  const CompileAnswer answer = engine_.compile(request);
  if (answer.program == nullptr) return Value::absent();
  run_.set_context(retained(borrowed_captured));
  const std::uint64_t turn = run_.turn();
  run_.start(answer.program);
  const StepStatus status = run_.step();
  run_.set_identity(run_.run_id(), turn);     // no turn of the program's
  run_.set_context(Value::nil());
  if (status != StepStatus::Completed || !run_.result().is_function()) return Value::absent();
  return retained(run_.result());
}

std::optional<Value> Session::read_value(std::string_view edn, std::span<const std::string_view> names,
                                         std::string& message) {
  EdnHooks hooks;
  Owned no_captures(heap(), map_empty(heap()));
  hooks.closure = [&](std::string_view source, Value captured) { return make_function(source, captured, names); };
  hooks.function = [&](std::string_view text) { return make_function(text, no_captures.get(), names); };
  auto read = read_edn(heap(), edn, hooks);
  if (auto* value = std::get_if<Value>(&read)) return *value;
  message = position_text(std::get<EdnError>(read));
  return std::nullopt;
}

std::optional<Value> Session::read_map(std::string_view edn, std::string_view what, std::string& message) {
  auto value = read_value(edn, {}, message);
  if (value && value->is_nil()) value = map_empty(heap());
  if (value && !value->is_map()) {
    message = std::string(what) + " must be a map";
    heap().release(*value);
    return std::nullopt;
  }
  return value;
}

std::optional<std::string> Session::load_memory(std::string_view edn) {
  std::string message;
  std::vector<std::string> names;
  if (holds_functions(edn)) {     // functions may mention every definition: learn the names first
    EdnHooks skip;
    skip.closure = [](std::string_view, Value) { return Value::nil(); };
    skip.function = [](std::string_view) { return Value::nil(); };
    auto read = read_edn(heap(), edn, skip);
    if (auto* draft = std::get_if<Value>(&read)) {
      const Owned owner(heap(), *draft);
      if (draft->is_map()) {
        for (MapCursor entry(heap(), *draft); entry.next();) names.push_back(name_of(entry.key()).value_or(""));
      }
    }
  }
  const std::vector<std::string_view> views(names.begin(), names.end());
  const auto memory = read_value(edn, views, message);
  if (!memory) return message;
  const Owned owner(heap(), *memory);
  if (memory->is_nil()) return std::nullopt;
  if (!memory->is_map()) return "the memory must be a map";
  for (MapCursor entry(heap(), *memory); entry.next();) {
    const auto name = name_of(entry.key());
    if (!name) return "names in memory must be keywords or strings";
    run_.define(*name, retained(entry.value()));
  }
  return std::nullopt;
}

std::optional<std::string> Session::load_context(std::string_view edn) {
  std::string message;
  const auto context = read_map(edn, "the context", message);
  if (!context) return message;
  set_context(*context);
  return std::nullopt;
}

void Session::set_context(Value taken_map) {
  heap().release(context_);
  context_ = taken_map;
}

void Session::enable_journal() { run_.enable_journal(); }

std::optional<std::string> Session::load_task(std::string_view id, std::string_view edn) {
  std::string message;
  const auto value = read_value(edn, {}, message);
  if (!value) return message;
  enable_journal();
  Journal& kept = run_.environment().journal;
  if (kept.find(id) != nullptr) {
    heap().release(*value);
    return "two entries of the journal for " + std::string(id);
  }
  kept.restore(std::string(id), *value);
  run_.environment().operations.detach_task(id);   // what its body opened is done with
  return std::nullopt;
}

bool Session::has_task(std::string_view id) { return run_.environment().journal.find(id) != nullptr; }

void Session::forget_tasks_but(const std::function<bool(std::string_view id)>& keep) {
  Journal& journal = run_.environment().journal;
  std::vector<std::string> gone;
  for (const Journal::Entry& entry : journal.entries()) {
    if (!keep(entry.id)) gone.push_back(entry.id);
  }
  for (const std::string& id : gone) journal.erase(id);
}

void Session::set_task_source(TaskSource source, std::function<void(std::string_view)> complain) {
  enable_journal();
  run_.environment().journal.set_source(
      [this, source = std::move(source), complain = std::move(complain)](std::string_view id) -> Journal::Found {
        const TaskText text = source(id);
        if (text.edn == nullptr) return {};
        auto read = read_edn(heap(), *text.edn);
        if (const auto* value = std::get_if<Value>(&read)) return {*value, text.returned};
        complain(id);
        return {Value::nil(), text.returned};
      });
}

void Session::set_reset_rule(std::function<bool(std::string_view)> needs_reason) {
  run_.environment().reset_needs_reason = std::move(needs_reason);
}

std::optional<std::string> Session::load_journal(std::string_view edn) {
  std::string message;
  const auto journal = read_map(edn, "the journal", message);
  if (!journal) return message;
  const Owned owner(heap(), *journal);
  enable_journal();
  for (MapCursor entry(heap(), *journal); entry.next();) {
    const auto id = name_of(entry.key());
    if (!id) return "ids in the journal must be strings";
    Journal& kept = run_.environment().journal;
    if (kept.find(*id) == nullptr) kept.restore(std::string(*id), retained(entry.value()));
  }
  return std::nullopt;
}

std::optional<std::string> Session::load_history(std::string_view edn) {
  std::string message;
  const auto history = read_value(edn, {}, message);
  if (!history) return message;
  const Owned owner(heap(), *history);
  if (history->is_nil()) return std::nullopt;
  if (!history->is_vector()) return "the history must be a vector";
  const std::uint32_t count = vector_count(*history);
  for (std::uint32_t back = 1; back <= kMaxTurnsBack && back <= count; ++back) {
    history_.push_back(vector_get(*history, count - back));
  }
  return std::nullopt;
}

std::optional<std::string> Session::load_budget(std::string_view edn) {
  std::string message;
  const auto budget = read_map(edn, "the budget", message);
  if (!budget) return message;
  run_.set_budget(*budget);
  return std::nullopt;
}

}  // namespace ptc
