// fn, and the parameters and bodies of functions.
#include "compiler/analyze/analysis.h"
#include "compiler/analyze/unary_body.h"

namespace ptc {

Node* Analyzer::form_fn(const Form& form, bool) {
  static constexpr std::string_view kUsage = "(fn [params] body ...) or (fn name [params] body ...)";
  const Items items(form.items);
  if (items.size() < 2) return fail_arity(form, kUsage);
  std::size_t params = 1;
  const Form* name = nullptr;
  if (items[1]->kind == FormKind::Symbol) {
    name = items[1];
    params = 2;
    if (!is_bindable(*name)) return fail_pattern(*name);
  }
  if (items.size() <= params) return fail_arity(form, kUsage);
  if (items[params]->kind == FormKind::List) {
    return fail(*items[params], FaultKind::InvalidForm,
                "multi-arity fn not supported, use one function for each arity");
  }
  if (items[params]->kind != FormKind::Vector) {
    return fail(items[params]->span, FaultKind::InvalidForm,
                {"fn params must be a vector, got: ", source_text(*items[params])});
  }
  return analyze_function(form, name, *items[params], items.subspan(params + 1));
}

Node* Analyzer::analyze_function(const Form& form, const Form* name, const Form& params, Items body) {
  Node* function = ast_.make(NodeKind::Fn, form.span);
  const std::size_t mark = scope_.mark();
  const std::size_t defined = scope_.defined_mark();
  Node* const outer_target = recur_target_;
  recur_target_ = function;
  ++function_depth_;
  if (name != nullptr) {
    function->local = ast_.new_local(name->text, name->span);
    scope_.bind(name->text, function->local);
  }
  const Bindings destructured = start_let(params.span);
  Node* result = nullptr;
  if (analyze_params(params, *function, destructured)) {
    result = finish_let(destructured, analyze_body(form.span, body, true));
  }
  --function_depth_;
  recur_target_ = outer_target;
  scope_.forget_defined(defined);
  scope_.restore(mark);
  if (result == nullptr) return nullptr;
  function->kids.push_back(result);
  if (options_.optimize) add_unary_body(ast_, *function);
  return function;
}

// Destructured parameters arrive in temporaries and are taken apart at the start of the body, so that recur
// does the same again.
bool Analyzer::analyze_params(const Form& params, Node& function, Bindings destructured) {
  function.printed = "#fn[";
  std::vector<const Form*> patterns;
  bool rest = false;
  for (std::size_t i = 0; i < params.items.size(); ++i) {
    const Form& param = *params.items[i];
    if (i > 0) function.printed += " ";
    if (param.kind == FormKind::Symbol && param.text == "&") {
      if (i + 1 == params.items.size()) {
        fail(param, FaultKind::InvalidForm, "& must be followed by a pattern");
        return false;
      }
      if (i + 2 < params.items.size()) {
        fail(params.items[i + 2]->span, FaultKind::InvalidForm,
             {"& must be followed by exactly one pattern, got extra: ", source_text(*params.items[i + 2])});
        return false;
      }
      rest = true;
      function.printed += "&";
      continue;
    }
    const bool plain = param.kind == FormKind::Symbol;
    if (plain && !check_pattern_name(param)) return false;
    function.printed += plain ? param.text : "_";
    function.locals.push_back(ast_.new_local(plain ? param.text : std::string(), param.span));
    patterns.push_back(&param);
  }
  function.printed += "]";
  function.variadic = rest;
  for (std::size_t i = 0; i < patterns.size(); ++i) {
    const Form& pattern = *patterns[i];
    const LocalId local = function.locals[i];
    if (pattern.kind == FormKind::Symbol) {
      scope_.bind(pattern.text, local);
      continue;
    }
    Node* value = make_local(pattern.span, local);
    if (rest && i + 1 == patterns.size() && pattern.kind == FormKind::Map) {
      value = make_invoke(pattern.span, BuiltinId::h_kwargs, {value});
    }
    if (!destructure(pattern, value, destructured)) return false;
  }
  return true;
}

}  // namespace ptc
