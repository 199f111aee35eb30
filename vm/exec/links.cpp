#include "vm/exec/links.h"

#include <optional>
#include <string>
#include <utility>

#include "vm/builtins/regex.h"
#include "vm/exec/prelude.h"
#include "vm/value/map.h"
#include "vm/value/numeric.h"
#include "vm/value/string.h"
#include "vm/value/vector.h"

namespace ptc {
namespace {

// What a name inside of a prelude stands for.
struct PreludeName {
  std::optional<BuiltinId> builtin;
  std::optional<std::uint32_t> function;   // when it is no builtin
};

std::vector<PreludeName> names_in(const Program& prelude) {
  std::vector<PreludeName> names;
  for (const std::string& name : prelude.globals) {
    PreludeName& made = names.emplace_back(PreludeName{find_builtin(name), std::nullopt});
    if (made.builtin) continue;
    for (const Prototype& function : prelude.functions) {
      if (function.name != name || function.upvalue_count != 0) continue;
      made.function = function.index;
      break;
    }
  }
  return names;
}

}  // namespace

Value Links::constant_value(const Link& program_link, std::size_t index) {
  const ProgramConstant& constant = program_link.program->constants[index];
  const auto item = [&](std::size_t k) { return retained(program_link.constants[constant.items[k]]); };
  switch (constant.kind) {
    case ProgramConstant::Kind::Nil: return Value::nil();
    case ProgramConstant::Kind::False: return Value::boolean(false);
    case ProgramConstant::Kind::True: return Value::boolean(true);
    case ProgramConstant::Kind::Int: return Value::integer(constant.integer);
    case ProgramConstant::Kind::Float: return Value::real(constant.real);
    case ProgramConstant::Kind::BigInt: {
      const Value v = integer_from_decimal(heap(), constant.text, UINT32_MAX);
      return v.is_absent() ? Value::nil() : v;
    }
    case ProgramConstant::Kind::String: return string_of(heap(), constant.text);
    case ProgramConstant::Kind::Keyword: return Value::of(heap().intern(constant.text));
    case ProgramConstant::Kind::Regex: {
      return regex_make(heap(), constant.text, nullptr);   // looked at when the program was loaded
    }
    case ProgramConstant::Kind::Vector: {
      VectorBuilder builder(heap());
      for (std::size_t k = 0; k < constant.items.size(); ++k) builder.push(item(k));
      return builder.finish();
    }
    case ProgramConstant::Kind::Map: {
      std::vector<Value> keys, values;
      for (std::size_t k = 0; k + 1 < constant.items.size(); k += 2) {
        keys.push_back(item(k));
        values.push_back(item(k + 1));
      }
      return map_from(heap(), keys, values);
    }
    case ProgramConstant::Kind::Set: {
      Value set = set_empty(heap());
      for (std::size_t k = 0; k < constant.items.size(); ++k) set = set_add(heap(), set, item(k));
      return set;
    }
  }
  return Value::nil();
}

Link& Links::link(std::shared_ptr<const Program> linked) {
  for (Link& known : links_) {
    if (known.program == linked) return known;
  }
  Link& made = begin(std::move(linked));
  finish(made);
  return made;
}

std::shared_ptr<const Program> Links::known(std::shared_ptr<const Program> given) const {
  for (const Link& link : links_) {
    if (link.program == given) return given;
  }
  for (const Link& link : links_) {
    const bool is_alike = !link.is_prelude && link.program->source == given->source;
    if (is_alike && link.program->encoded().sha256 == given->encoded().sha256) return link.program;
  }
  return given;
}

Link& Links::begin(std::shared_ptr<const Program> linked, bool is_prelude) {
  Link& made = links_.emplace_back();
  made.index = static_cast<std::uint32_t>(links_.size() - 1);
  made.program = std::move(linked);
  made.is_prelude = is_prelude;
  made.loop_limit = is_prelude ? INT64_MAX : core_.limits().loop;
  if (is_prelude) preludes_.push_back(&made);
  const std::size_t count = made.program->constants.size();
  made.constants.assign(count, Value::nil());
  for (std::size_t k = 0; k < count; ++k) {
    if (!is_collection(made.program->constants[k])) made.constants[k] = constant_value(made, k);
  }
  return made;
}

// The prelude's names are its own functions, cells of their own; a program's names are the user namespace.
void Links::finish(Link& made) {
  for (std::size_t k = 0; k < made.constants.size(); ++k) {
    if (is_collection(made.program->constants[k])) made.constants[k] = constant_value(made, k);
  }
  for (const std::string& name : made.program->tools) made.tools.push_back(heap().intern(name));
  if (made.is_prelude) return name_prelude(made);
  for (const std::string& name : made.program->globals) made.cells.push_back(&names_.cell(name));
}

void Links::name_prelude(Link& made) {
  static const std::vector<PreludeName> own_names = names_in(*own_prelude());
  const bool is_own = made.program == own_prelude();
  const std::vector<PreludeName> other_names = is_own ? std::vector<PreludeName>() : names_in(*made.program);
  const std::vector<PreludeName>& names = is_own ? own_names : other_names;
  made.own_cells.resize(names.size());
  made.cells.reserve(names.size());
  for (std::size_t k = 0; k < names.size(); ++k) {
    Cell& own = made.own_cells[k];
    made.cells.push_back(&own);
    own.name = heap().intern(made.program->globals[k]);
    own.defined = true;
    if (names[k].builtin) {
      own.set(Value::of(*names[k].builtin));
    } else if (names[k].function) {
      own.set(retained(Value::of(Tag::Closure, const_cast<Closure*>(function(made, *names[k].function)))));
    }
  }
}

const Closure* Links::function(Link& program_link, std::uint32_t index) {
  std::vector<Value>& made = program_link.functions;
  if (made.empty()) made.resize(program_link.program->functions.size(), Value::nil());
  if (made[index].is_nil()) {
    auto* closure = heap().make<Closure>(Kind::Closure);
    closure->upvalue_count = 0;
    closure->serial = 0;   // never a value that a program can hold
    closure->function = &program_link.program->functions[index];
    closure->link = &program_link;
    made[index] = Value::of(Tag::Closure, closure);
  }
  return static_cast<const Closure*>(made[index].object);
}

Closure* Links::entry(Link& program_link) {
  if (program_link.entry == nullptr) {
    program_link.entry = const_cast<Closure*>(function(program_link, 0));
    ++program_link.entry->rc;
  }
  return program_link.entry;
}

// Names inside of a prelude are its own functions; they are bound once a run needs the first of them.
const Closure* Links::prelude_function(BuiltinId id) {
  const std::string_view name = builtin_info(id).name;
  for (Link* const linked : preludes_) {
    if (const auto index = linked->program->function_named(name)) return function(*linked, *index);
  }
  for (const Link* const linked : preludes_) {
    if (linked->program == own_prelude()) return nullptr;
  }
  finish(begin(own_prelude(), true));
  return prelude_function(id);
}

void Links::release_values() {
  for (const Link& program_link : links_) {
    for (const Cell& cell : program_link.own_cells) heap().release(cell.value);
    for (const Value& v : program_link.constants) heap().release(v);
    for (const Value& v : program_link.functions) heap().release(v);
    if (program_link.entry != nullptr) heap().release(program_link.entry);
  }
}

}  // namespace ptc
