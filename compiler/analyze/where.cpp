// The predicate builders: where, all-of, any-of, none-of.
#include <algorithm>
#include <array>

#include "compiler/analyze/analysis.h"

namespace ptc {
namespace {

constexpr auto kOperators =
    std::to_array<std::string_view>({"=", "not=", ">", "<", ">=", "<=", "in", "includes"});

}  // namespace

// The field as a constant vector of keywords and strings.
Node* Analyzer::where_path(const Form& field) {
  if (field.kind == FormKind::Keyword) {
    return make_constant(field.span,
                         constants_.collection(Constant::Kind::Vector, {constants_.keyword(field.text)}));
  }
  if (field.kind != FormKind::Vector || field.items.empty()) {
    return fail(field.span, FaultKind::InvalidWhereForm,
                {"field must be keyword or vector, got: ", source_text(field)},
                "Write (where :status = \"active\") or (where [:user :name] = \"Ann\")");
  }
  std::vector<std::uint32_t> items;
  for (const Form* item : field.items) {
    if (item->kind != FormKind::Keyword && item->kind != FormKind::String) {
      return fail(*item, FaultKind::InvalidWhereForm, "field path elements must be keywords or strings");
    }
    items.push_back(*constants_.atom(*item));
  }
  return make_constant(field.span, constants_.collection(Constant::Kind::Vector, std::move(items)));
}

Node* Analyzer::form_where(const Form& form, bool) {
  if (form.items.size() != 2 && form.items.size() != 4) {
    return fail(form, FaultKind::InvalidWhereForm, "expected (where field) or (where field op value)",
                "(where :status = \"active\")");
  }
  Node* path = where_path(*form.items[1]);
  if (path == nullptr) return nullptr;
  if (form.items.size() == 2) return make_invoke(form.span, BuiltinId::h_where_field, {path});
  const Form& op = *form.items[2];
  const bool known = op.kind == FormKind::Symbol &&
                     std::find(kOperators.begin(), kOperators.end(), op.text) != kOperators.end();
  if (!known) {
    return fail(op.span, FaultKind::InvalidWhereOperator, {"unknown where operator: ", source_text(op)},
                "Known: = not= > < >= <= in includes");
  }
  Node* value = analyze(*form.items[3], false);
  if (value == nullptr) return nullptr;
  return make_invoke(form.span, BuiltinId::h_where_pred, {path, make_string(op.span, op.text), value});
}

Node* Analyzer::invoke_variadic(const Form& form, BuiltinId builtin) {
  Node* node = make_invoke(form.span, builtin, {});
  return analyze_into(*node, Items(form.items).subspan(1)) ? node : nullptr;
}

Node* Analyzer::form_all_of(const Form& form, bool) { return invoke_variadic(form, BuiltinId::h_all_of); }
Node* Analyzer::form_any_of(const Form& form, bool) { return invoke_variadic(form, BuiltinId::h_any_of); }
Node* Analyzer::form_none_of(const Form& form, bool) { return invoke_variadic(form, BuiltinId::h_none_of); }

}  // namespace ptc
