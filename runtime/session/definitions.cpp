#include "runtime/session/definitions.h"

#include "runtime/text/edn.h"
#include "runtime/text/written_size.h"
#include "vm/value/map.h"
#include "vm/value/print.h"

namespace ptc {
namespace {

// Returns the names that the text defines. Functions in the text may mention each of them.
std::vector<std::string> defined_names(Heap& heap, std::string_view edn) {
  std::vector<std::string> names;
  EdnHooks skip;
  skip.closure = [](std::string_view, Value) { return Value::nil(); };
  skip.function = [](std::string_view) { return Value::nil(); };
  auto read = read_edn(heap, edn, skip);
  const Value* const draft = std::get_if<Value>(&read);
  if (draft == nullptr) return names;
  const Owned owner(heap, *draft);
  if (!draft->is_map()) return names;
  for (MapCursor entry(heap, *draft); entry.next();) names.push_back(edn_name(entry.key()).value_or(""));
  return names;
}

}  // namespace

std::optional<std::string> Definitions::load(std::string_view edn) {
  Heap& heap = run_.heap();
  std::vector<std::string> names;
  if (holds_functions(edn)) names = defined_names(heap, edn);
  const std::vector<std::string_view> views(names.begin(), names.end());
  std::string message;
  const auto memory = edn_.read(edn, views, message);
  if (!memory) return message;
  const Owned owner(heap, *memory);
  if (memory->is_nil()) return std::nullopt;
  if (!memory->is_map()) return "the memory must be a map";
  for (MapCursor entry(heap, *memory); entry.next();) {
    const auto name = edn_name(entry.key());
    if (!name) return "names in memory must be keywords or strings";
    run_.define(*name, retained(entry.value()));
  }
  return std::nullopt;
}

std::string Definitions::edn() const {
  Heap& heap = run_.heap();
  std::string text = "{";
  run_.for_each_definition([&](std::string_view name, Value value) {
    if (text.size() > 1) text += ' ';
    append_edn(text, Value::of(heap.intern(name)), heap);
    text += ' ';
    append_edn(text, value, heap);
  });
  return text + '}';
}

std::vector<std::string_view> Definitions::names() const {
  std::vector<std::string_view> names;
  run_.for_each_definition([&names](std::string_view name, Value) { names.push_back(name); });
  return names;
}

bool Definitions::can_be_written() const {
  std::uint64_t size = 0;
  run_.for_each_definition([&size](std::string_view, Value value) {
    if (size < kMaxWrittenSize) size += written_size(value, kMaxWrittenSize - size);
  });
  return size < kMaxWrittenSize;
}

}  // namespace ptc
