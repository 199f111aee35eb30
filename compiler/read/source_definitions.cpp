#include <algorithm>

#include "compiler/read/reader.h"
#include "compiler/read/source_definition.h"

namespace ptc {
namespace {

bool is_symbol(const Form& form, std::string_view name) { return form.kind == FormKind::Symbol && form.text == name; }

bool has_head(const Form& form, std::string_view name) {
  return form.kind == FormKind::List && !form.items.empty() && is_symbol(*form.items[0], name);
}

void add_parameters(SourceDefinition& out, const Form& vector, std::string_view text) {
  out.parameters = text.substr(vector.span.begin, vector.span.end - vector.span.begin);
  const auto rest = std::ranges::find_if(vector.items, [](const Form* item) { return is_symbol(*item, "&"); });
  out.arity = static_cast<std::uint32_t>(rest - vector.items.begin());
}

// Adds the parameters: the first vector from `begin` on. A name or a docstring may be before it.
void add_function(SourceDefinition& out, const Form& form, std::size_t begin, std::string_view text) {
  out.is_function = true;
  for (std::size_t i = begin; i < form.items.size() && i <= begin + 1; ++i) {
    if (form.items[i]->kind == FormKind::Vector) return add_parameters(out, *form.items[i], text);
  }
}

// Returns the definition that a form is, or nullopt.
std::optional<SourceDefinition> definition_of(const Form& form, std::string_view text) {
  const bool is_defn = has_head(form, "defn");
  if (!is_defn && !has_head(form, "def") && !has_head(form, "defonce")) return std::nullopt;
  if (form.items.size() < 3 || form.items[1]->kind != FormKind::Symbol) return std::nullopt;
  SourceDefinition out;
  out.name = form.items[1]->text;
  out.span = form.items[1]->span;
  if (form.items.size() > 3 && form.items[2]->kind == FormKind::String) out.doc = form.items[2]->text;
  const Form& value = *form.items.back();
  if (is_defn) {
    add_function(out, form, 2, text);
  } else if (has_head(value, "fn")) {
    add_function(out, value, 1, text);
  } else {
    out.is_function = value.kind == FormKind::Lambda;
  }
  return out;
}

}  // namespace

std::vector<SourceDefinition> source_definitions(std::string_view text) {
  std::vector<SourceDefinition> out;
  FormArena arena;
  const ReadResult read = read_forms(text, arena);
  if (read.failed) return out;
  std::vector<const Form*> open(read.forms.rbegin(), read.forms.rend());   // the next form is the last one
  while (!open.empty()) {
    const Form& form = *open.back();
    open.pop_back();
    if (has_head(form, "comment")) continue;
    if (auto definition = definition_of(form, text)) out.push_back(*std::move(definition));
    open.insert(open.end(), form.items.rbegin(), form.items.rend());
  }
  return out;
}

}  // namespace ptc
