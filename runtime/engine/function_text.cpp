#include "runtime/engine/function_text.h"

#include "compiler/read/form.h"
#include "compiler/read/reader.h"

namespace ptc {
namespace {

bool is_symbol(const Form& form, std::string_view name) { return form.kind == FormKind::Symbol && form.text == name; }

// (defn f "doc" [x] …) as (fn [x] …): f stays a name of the user namespace.
std::optional<std::string> without_name(const Form& form, std::string_view text) {
  for (std::size_t i = 2; i < form.items.size() && i <= 3; ++i) {
    const Form& params = *form.items[i];
    if (params.kind == FormKind::Vector) {
      return "(fn " + std::string(text.substr(params.span.begin, form.span.end - params.span.begin));
    }
  }
  return std::nullopt;
}

std::optional<std::string> function_expression(const Form& form, std::string_view text) {
  const std::string whole(text.substr(form.span.begin, form.span.end - form.span.begin));
  if (form.kind == FormKind::Lambda || form.kind == FormKind::Symbol) return whole;
  if (form.kind != FormKind::List || form.items.empty()) return std::nullopt;
  if (is_symbol(*form.items[0], "fn")) return whole;
  if (is_symbol(*form.items[0], "defn")) return without_name(form, text);
  return std::nullopt;
}

}  // namespace

std::optional<std::string> function_program(std::string_view text, std::span<const std::string_view> captured_names) {
  FormArena arena;
  const ReadResult read = read_forms(text, arena);
  if (read.failed || read.forms.size() != 1) return std::nullopt;
  auto expression = function_expression(*read.forms[0], text);
  if (!expression || captured_names.empty()) return expression;
  std::string program = "(let [";
  for (const std::string_view name : captured_names) {
    program.append(name).append(" data/").append(name).append(" ");
  }
  return program + "] " + *expression + ")";
}

}  // namespace ptc
