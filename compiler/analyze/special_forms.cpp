// The table of special forms and macros, and the forms that are neither binding, conditional nor threading.
#include <algorithm>

#include "compiler/analyze/analysis.h"
#include "compiler/analyze/program_notes.h"

namespace ptc {
namespace {

// Placeholders of one #( … ): the highest number, and whether %& is used.
struct Placeholders {
  std::size_t count = 0;
  bool rest = false;
};

constexpr std::size_t kMaxPlaceholder = 20;

Placeholders find_placeholders(const Form& lambda) {
  Placeholders found;
  std::vector<const Form*> open(lambda.items.begin(), lambda.items.end());
  while (!open.empty()) {
    const Form& form = *open.back();
    open.pop_back();
    open.insert(open.end(), form.items.begin(), form.items.end());
    const std::string_view name = form.text;
    if (form.kind != FormKind::Symbol || name.empty() || name[0] != '%') continue;
    if (name == "%&") found.rest = true;
    if (name == "%") found.count = std::max<std::size_t>(found.count, 1);
    if (name.size() < 2 || name.size() > 3) continue;
    std::size_t number = 0;
    for (const char c : name.substr(1))
      number = c >= '0' && c <= '9' ? number * 10 + std::size_t(c - '0') : 1000;
    if (number <= kMaxPlaceholder) found.count = std::max(found.count, number);
  }
  return found;
}

}  // namespace

const Analyzer::HeadForm* Analyzer::find_head_form(std::string_view name) {
  using A = Analyzer;
  static constexpr HeadForm kForms[] = {
      {"->", &A::form_thread_first, true},
      {"->>", &A::form_thread_last, true},
      {".", &A::form_dot, false},
      {"all-of", &A::form_all_of, false},
      {"and", &A::form_and, true},
      {"any-of", &A::form_any_of, false},
      {"as->", &A::form_as_thread, true},
      {"case", &A::form_case, true},
      {"comment", &A::form_comment, true},
      {"cond", &A::form_cond, true},
      {"cond->", &A::form_cond_thread_first, true},
      {"cond->>", &A::form_cond_thread_last, true},
      {"condp", &A::form_condp, true},
      {"def", &A::form_def, false},
      {"defn", &A::form_defn, true},
      {"defonce", &A::form_def, false},
      {"do", &A::form_do, false},
      {"doseq", &A::form_doseq, true},
      {"fail", &A::form_fail, false},
      {"fn", &A::form_fn, true},
      {"for", &A::form_for, true},
      {"if", &A::form_if, false},
      {"if-let", &A::form_if_let, true},
      {"if-not", &A::form_if_not, true},
      {"if-some", &A::form_if_some, true},
      {"let", &A::form_let, true},
      {"loop", &A::form_loop, true},
      {"none-of", &A::form_none_of, false},
      {"or", &A::form_or, true},
      {"quote", &A::form_quote, true},
      {"recur", &A::form_recur, false},
      {"return", &A::form_return, false},
      {"some->", &A::form_some_thread_first, true},
      {"some->>", &A::form_some_thread_last, true},
      {"step-done", &A::form_step_done, false},
      {"task", &A::form_task, false},
      {"task-reset", &A::form_task_reset, false},
      {"when", &A::form_when, true},
      {"when-first", &A::form_when_first, true},
      {"when-let", &A::form_when_let, true},
      {"when-not", &A::form_when_not, true},
      {"when-some", &A::form_when_some, true},
      {"where", &A::form_where, false},
  };
  const auto at = std::lower_bound(std::begin(kForms), std::end(kForms), name,
                                   [](const HeadForm& form, std::string_view n) { return form.name < n; });
  return at != std::end(kForms) && at->name == name ? at : nullptr;
}

Node* Analyzer::form_do(const Form& form, bool tail) {
  return analyze_body(form.span, Items(form.items).subspan(1), tail);
}

Node* Analyzer::form_if(const Form& form, bool tail) {
  if (form.items.size() != 3 && form.items.size() != 4) return fail_arity(form, "(if cond then else?)");
  Node* test = analyze_test(*form.items[1]);
  Node* then = test == nullptr ? nullptr : analyze_branch(*form.items[2], tail);
  if (then == nullptr) return nullptr;
  Node* otherwise = form.items.size() == 4 ? analyze_branch(*form.items[3], tail) : make_nil(form.span);
  return make_if(form.span, test, then, otherwise);
}

Node* Analyzer::form_comment(const Form& form, bool) { return make_nil(form.span); }

Node* Analyzer::form_quote(const Form& form, bool) {
  return fail(form, FaultKind::InvalidForm, "quote is not supported: there are no symbols or lists as data",
              "Use a keyword (:name), a string or a vector");
}

Node* Analyzer::form_dot(const Form& form, bool) {
  return fail(form, FaultKind::InvalidForm,
              "(. obj method) syntax is not supported. Use (.method obj) instead.");
}

bool Analyzer::check_def_name(const Form& form, const Form& name) {
  const std::string_view word = form.items[0]->text;
  if (name.kind != FormKind::Symbol) {
    fail(name.span, FaultKind::InvalidForm, {word, " name must be a symbol, got: ", source_text(name)});
    return false;
  }
  if (is_bindable(name)) return true;
  fail(name.span, FaultKind::InvalidForm, {word, " name must be a plain symbol, got: ", name.text},
       "Names that are defined have no namespace");
  return false;
}

Node* Analyzer::form_def(const Form& form, bool) {
  const std::string_view word = form.items[0]->text.ends_with("defonce") ? "defonce" : "def";
  const std::size_t count = form.items.size();
  if (count < 2) return fail(form.span, FaultKind::InvalidArity, {"expected (", word, " name value)"});
  if (!check_def_name(form, *form.items[1])) return nullptr;
  if (count == 2) {
    return fail(
        form.span, FaultKind::InvalidArity,
        {"expected (", word, " name value), got (", word, " ", form.items[1]->text, ") without value"});
  }
  const bool documented = count == 4 && form.items[2]->kind == FormKind::String;
  if (count > 3 && !documented) {
    return fail(form.span, FaultKind::InvalidArity,
                {"expected (", word, " name value) or (", word, " name \"doc\" value)"});
  }
  return analyze_definition(form, *form.items[1], documented ? form.items[2]->text : std::string_view(),
                            *form.items[count - 1], word == "defonce");
}

Node* Analyzer::analyze_definition(const Form& form, const Form& name, std::string_view doc,
                                   const Form& value, bool once) {
  scope_.define(name.text);
  Node* expression = analyze(value, false);
  if (expression == nullptr) return nullptr;
  Node* node = ast_.make(NodeKind::Def, form.span);
  node->text = name.text;
  node->doc = doc;
  node->once = once;
  node->kids.push_back(expression);
  if (options_.notes != nullptr) {
    options_.notes->definitions.push_back({name.text, name.span, arity_of(*expression), once});
  }
  if (expression->kind == NodeKind::Fn && expression->doc.empty()) expression->doc = doc;
  return node;
}

Node* Analyzer::form_defn(const Form& form, bool) {
  const Items items(form.items);
  if (items.size() < 2) return fail_arity(form, "(defn name [params] body), missing name");
  if (!check_def_name(form, *items[1])) return nullptr;
  std::size_t params = 2;
  if (items.size() > 3 && items[2]->kind == FormKind::String) params = 3;
  if (items.size() <= params) return fail_arity(form, "(defn name [params] body), missing params");
  if (items[params]->kind == FormKind::List) {
    return fail(*items[params], FaultKind::InvalidForm,
                "multi-arity defn not supported, use separate defn forms for each arity");
  }
  if (items[params]->kind != FormKind::Vector) {
    return fail(items[params]->span, FaultKind::InvalidForm,
                {"defn params must be a vector, got: ", source_text(*items[params])},
                "Write (defn name [a b] body) or (defn name \"doc\" [a b] body)");
  }
  scope_.define(items[1]->text);
  Node* function = analyze_function(form, nullptr, *items[params], items.subspan(params + 1));
  if (function == nullptr) return nullptr;
  if (params == 3) function->doc = items[2]->text;
  Node* node = ast_.make(NodeKind::Def, form.span);
  node->text = items[1]->text;
  node->doc = function->doc;
  node->kids.push_back(function);
  if (options_.notes != nullptr) {
    options_.notes->definitions.push_back({items[1]->text, items[1]->span, arity_of(*function), false});
  }
  return node;
}

Node* Analyzer::form_recur(const Form& form, bool tail) {
  if (!tail || recur_target_ == nullptr) {
    return fail(form, FaultKind::InvalidForm, "recur must be in tail position",
                "The value of recur has to be the value of the enclosing loop or fn");
  }
  Node* target = recur_target_;
  const std::size_t count = form.items.size() - 1;
  if (count != target->locals.size()) {
    return fail(form.span, FaultKind::InvalidArity,
                {"recur expects ", std::to_string(target->locals.size()),
                 target->locals.size() == 1 ? " argument, got " : " arguments, got ", std::to_string(count)});
  }
  Node* node = ast_.make(NodeKind::Recur, form.span);
  node->target = target;
  target->has_recur = true;
  return analyze_into(*node, Items(form.items).subspan(1)) ? node : nullptr;
}

Node* Analyzer::make_stop(const Form& form, NodeKind kind, std::string_view usage) {
  if (form.items.size() != 2) return fail_arity(form, usage);
  Node* node = ast_.make(kind, form.span);
  return analyze_into(*node, Items(form.items).subspan(1)) ? node : nullptr;
}

Node* Analyzer::form_return(const Form& form, bool) {
  return make_stop(form, NodeKind::Return, "(return value)");
}
Node* Analyzer::form_fail(const Form& form, bool) { return make_stop(form, NodeKind::Fail, "(fail error)"); }

Node* Analyzer::form_task(const Form& form, bool) {
  if (form.items.size() != 3) return fail_arity(form, "(task \"id\" expr)");
  const Form& id = *form.items[1];
  if (options_.strict_task_ids && id.kind != FormKind::String) {
    return fail(id.span, FaultKind::InvalidForm, {"task id must be a string literal, got: ", source_text(id)},
                "task ids are strings: (task \"order_1\" …)");
  }
  task_id_ = &id;
  Node* id_node = analyze(id, false);
  task_id_ = nullptr;
  if (id_node == nullptr) return nullptr;
  if (id.kind != FormKind::String) id_node = make_invoke(id.span, BuiltinId::h_task_id, {id_node});
  ++task_depth_;
  Node* body = analyze(*form.items[2], false);
  --task_depth_;
  if (body == nullptr) return nullptr;
  Node* node = ast_.make(NodeKind::Task, form.span);
  node->kids = {id_node, body};
  return node;
}

Node* Analyzer::form_step_done(const Form& form, bool) {
  if (form.items.size() != 3) return fail_arity(form, "(step-done id summary)");
  Node* node = make_invoke(form.span, BuiltinId::step_done, {});
  return analyze_into(*node, Items(form.items).subspan(1)) ? node : nullptr;
}

Node* Analyzer::form_task_reset(const Form& form, bool) {
  if (form.items.size() != 2 && form.items.size() != 3) return fail_arity(form, "(task-reset id reason?)");
  Node* node = make_invoke(form.span, BuiltinId::task_reset, {});
  return analyze_into(*node, Items(form.items).subspan(1)) ? node : nullptr;
}

Node* Analyzer::analyze_lambda(const Form& form) {
  if (in_lambda_) {
    return fail(form, FaultKind::InvalidForm, "Nested #() anonymous functions are not allowed",
                "Write the inner one as (fn [x] …)");
  }
  const Placeholders placeholders = find_placeholders(form);
  Node* node = ast_.make(NodeKind::Fn, form.span);
  const std::size_t mark = scope_.mark();
  node->printed = "#fn[";
  for (std::size_t i = 1; i <= placeholders.count; ++i) {
    Form* name = arena_.make(FormKind::Symbol, form.span);   // owns the text that the scope refers to
    name->text = "%" + std::to_string(i);
    node->locals.push_back(ast_.new_local(name->text, form.span));
    scope_.bind(name->text, node->locals.back());
    if (i == 1) scope_.bind("%", node->locals.back());
    node->printed += (i == 1 ? "" : " ") + name->text;
  }
  if (placeholders.rest) {
    node->variadic = true;
    node->locals.push_back(ast_.new_local("%&", form.span));
    scope_.bind("%&", node->locals.back());
    node->printed += placeholders.count == 0 ? "& %&" : " & %&";
  }
  node->printed += "]";
  Node* const outer_target = recur_target_;
  recur_target_ = node;
  in_lambda_ = true;
  ++function_depth_;
  Node* body = analyze_lambda_body(form);
  --function_depth_;
  in_lambda_ = false;
  recur_target_ = outer_target;
  scope_.restore(mark);
  if (body == nullptr) return nullptr;
  node->kids.push_back(body);
  return node;
}

// One placeholder or one literal stands for itself; anything else is one call.
Node* Analyzer::analyze_lambda_body(const Form& form) {
  if (form.items.empty()) return make_nil(form.span);
  const std::size_t mark = scope_.defined_mark();
  const Form& first = *form.items[0];
  const bool symbol = first.kind == FormKind::Symbol || first.kind == FormKind::VarQuote;
  const bool list = first.kind == FormKind::List || first.kind == FormKind::Lambda;
  const bool value = symbol ? first.text[0] == '%' : !list;
  Node* body = nullptr;
  if (form.items.size() == 1 && value) {
    body = analyze(first, true);
  } else {
    Form* call = arena_.make(FormKind::List, form.span);
    call->items = form.items;
    body = analyze(*call, true);
  }
  scope_.forget_defined(mark);
  return body;
}

}  // namespace ptc
