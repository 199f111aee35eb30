#include "runtime/session/operations_json.h"

#include <algorithm>
#include <boost/json.hpp>

#include "runtime/calls/tools.h"
#include "runtime/text/edn.h"
#include "runtime/text/json_text.h"
#include "vm/value/map.h"
#include "vm/value/print.h"

namespace ptc {
namespace {

namespace json = boost::json;

void append_value(std::string& out, std::string_view name, Value v, Heap& heap) {
  if (v.is_nil() || v.is_absent()) return;
  std::string text;
  append_edn(text, v, heap);
  append_json_member(out, name, text);
}

void append_number(std::string& out, std::string_view name, const std::string& number) {
  append_json_name(out, name);
  out += number;
}

void append_flag(std::string& out, std::string_view name, bool set) {
  if (set) append_number(out, name, "true");
}

// Reads the fields of one operation; the first thing that is wrong is remembered. What it makes is owned by it until
// take().
class OperationReader {
 public:
  OperationReader(const json::object& object, Heap& heap) : object_(object), heap_(heap) {}
  ~OperationReader() {
    for (const Value v : {made_.args, made_.immediate, made_.arrived_immediate, made_.result}) heap_.release(v);
  }
  OperationReader(const OperationReader&) = delete;
  OperationReader& operator=(const OperationReader&) = delete;

  std::string problem;

  void read() {
    made_.id = text("id");
    if (made_.id.empty()) refuse("id", "a string that is not empty");
    made_.tool = text("tool");
    made_.reason = text("reason");
    made_.task_id = text("task");
    made_.call_path = text("path");
    made_.key = text("key");
    made_.kind = static_cast<Operation::Kind>(one_of("kind", 3, [](std::size_t k) {
      return operation_kind_name(static_cast<Operation::Kind>(k));
    }));
    made_.status = static_cast<Operation::Status>(one_of("status", 5, [](std::size_t k) {
      return operation_status_name(static_cast<Operation::Status>(k));
    }));
    value("args_edn", made_.args);
    value("immediate_edn", made_.immediate);
    value("progress_edn", made_.arrived_immediate);
    value("result_edn", made_.result);
    made_.sequence = static_cast<std::uint64_t>(number("sequence"));
    made_.created_ms = number("created");
    made_.due_ms = number("due");
    const std::int64_t resets = number("resets_to_come");
    if (resets > UINT32_MAX) refuse("resets_to_come", "less than 2^32");
    made_.resets_to_come = static_cast<std::uint32_t>(resets);
    made_.delivered = flag("delivered");
    made_.detached = flag("detached");
    made_.awaits_at_call = flag("at_call");
    if (made_.args.is_nil()) made_.args = map_empty(heap_);
    if (!made_.args.is_map()) refuse("args_edn", "a map");
    const bool is_settled = made_.status != Operation::Status::Waiting;
    if (is_settled != (made_.sequence != 0)) refuse("sequence", is_settled ? "above 0" : "0 while it waits");
  }

  Operation take() {
    Operation taken = std::move(made_);
    made_ = Operation();
    return taken;
  }

 private:
  const json::value* find(std::string_view name) const { return object_.if_contains({name.data(), name.size()}); }

  void refuse(std::string_view name, std::string_view wanted) {
    if (problem.empty()) problem = std::string(name) + " must be " + std::string(wanted);
  }

  std::string text(std::string_view name) {
    const json::value* found = find(name);
    if (found == nullptr) return {};
    if (const json::string* string = found->if_string()) return {string->data(), string->size()};
    refuse(name, "a string");
    return {};
  }

  bool flag(std::string_view name) {
    const json::value* found = find(name);
    if (found == nullptr) return false;
    if (const bool* set = found->if_bool()) return *set;
    refuse(name, "a boolean");
    return false;
  }

  std::int64_t number(std::string_view name) {
    const json::value* found = find(name);
    if (found == nullptr) return 0;
    if (const std::int64_t* whole = found->if_int64(); whole != nullptr && *whole >= 0) return *whole;
    refuse(name, "a whole number");
    return 0;
  }

  template <class NameOf>
  std::size_t one_of(std::string_view name, std::size_t count, const NameOf& name_of) {
    const std::string given = text(name);
    for (std::size_t k = 0; k < count; ++k) {
      if (name_of(k) == given) return k;
    }
    refuse(name, "one of the known words");
    return 0;
  }

  void value(std::string_view name, Value& out) {
    if (find(name) == nullptr) return;
    auto read = read_edn(heap_, text(name));
    if (const Value* made = std::get_if<Value>(&read)) {
      out = *made;
      if (!is_plain_data(heap_, out)) refuse(name, "plain data");
    } else {
      refuse(name, "EDN text");
    }
  }

  const json::object& object_;
  Heap& heap_;
  Operation made_;
};

}  // namespace

void append_operation_json(std::string& out, const Operation& operation, Heap& heap) {
  out += '{';
  append_json_member(out, "id", operation.id);
  append_json_member(out, "kind", operation_kind_name(operation.kind));
  append_json_member(out, "status", operation_status_name(operation.status));
  append_json_member(out, "tool", operation.tool);
  append_value(out, "args_edn", operation.args, heap);
  append_value(out, "immediate_edn", operation.immediate, heap);
  append_value(out, "progress_edn", operation.arrived_immediate, heap);
  append_value(out, "result_edn", operation.result, heap);
  if (!operation.reason.empty()) append_json_member(out, "reason", operation.reason);
  append_number(out, "sequence", std::to_string(operation.sequence));
  append_number(out, "created", std::to_string(operation.created_ms));
  append_number(out, "due", std::to_string(operation.due_ms));
  if (!operation.task_id.empty()) append_json_member(out, "task", operation.task_id);
  append_json_member(out, "path", operation.call_path);
  append_json_member(out, "key", operation.key);
  if (operation.resets_to_come != 0) append_number(out, "resets_to_come", std::to_string(operation.resets_to_come));
  append_flag(out, "delivered", operation.delivered);
  append_flag(out, "detached", operation.detached);
  append_flag(out, "at_call", operation.awaits_at_call);
  out += '}';
}

std::optional<std::string> read_operations_json(std::string_view text, Operations& table, Heap& heap) {
  json::error_code error;
  const json::value parsed = json::parse({text.data(), text.size()}, error);
  const json::array* list = error ? nullptr : parsed.if_array();
  if (list == nullptr) return "the operations must be a JSON list";
  for (const json::value& element : *list) {
    const std::string name = "operation " + std::to_string(table.all().size() + 1) + ": ";
    const json::object* object = element.if_object();
    if (object == nullptr) return name + "must be an object";
    OperationReader reader(*object, heap);
    reader.read();
    if (!reader.problem.empty()) return name + reader.problem;
    Operation operation = reader.take();
    if (table.find(operation.id) != nullptr) {
      for (const Value v : {operation.args, operation.immediate, operation.arrived_immediate, operation.result}) {
        heap.release(v);
      }
      return name + "another one has its id";
    }
    table.last_sequence = std::max(table.last_sequence, operation.sequence);
    table.open(std::move(operation));
  }
  return std::nullopt;
}

}  // namespace ptc
