// Calls, and symbols as values.
#include <algorithm>

#include "compiler/analyze/analysis.h"
#include "compiler/analyze/program_notes.h"

namespace ptc {
namespace {

bool is_placeholder(std::string_view name) {
  if (name == "%" || name == "%&") return true;
  return name.size() > 1 && name[0] == '%' &&
         std::all_of(name.begin() + 1, name.end(), [](char c) { return c >= '0' && c <= '9'; });
}

// Builtins without arguments that a program may also write without parentheses.
bool is_bare_constant(BuiltinId id) {
  if (id == BuiltinId::budget_remaining) return true;
  const BuiltinInfo& info = builtin_info(id);
  return info.category == BuiltinCategory::Interop && info.max_args == 0 && id != BuiltinId::System_currentTimeMillis;
}

}  // namespace

bool Analyzer::is_visible_builtin(BuiltinId id) const {
  return builtin_info(id).category != BuiltinCategory::Hidden || options_.prelude;
}

// Inside of the prelude a builtin's name always means the builtin, also where the prelude defines it.
bool Analyzer::is_global(std::string_view name) const {
  return scope_.is_defined(name) && !(options_.prelude && find_builtin(name));
}

Node* Analyzer::make_global(const Form& form, std::string_view name, bool or_nil) {
  Node* node = ast_.make(NodeKind::Global, form.span);
  node->text = name;
  node->or_nil = or_nil;
  if (options_.notes != nullptr) options_.notes->used_globals.emplace(name);
  return node;
}

Node* Analyzer::analyze_builtin(const Form& form, BuiltinId id) {
  if (is_bare_constant(id)) return make_invoke(form.span, id, {});
  Node* node = ast_.make(NodeKind::Builtin, form.span);
  node->builtin = id;
  return node;
}

Node* Analyzer::analyze_symbol(const Form& form, std::string_view name, bool or_nil) {
  if (const LocalId local = scope_.find_local(name); local != kNoLocal) {
    if (options_.notes != nullptr) options_.notes->used_locals.insert(local);
    return make_local(form.span, local);
  }
  if (name == "*1" || name == "*2" || name == "*3") {
    Node* node = ast_.make(NodeKind::History, form.span);
    node->number = static_cast<std::uint32_t>(name[1] - '0');
    return node;
  }
  if (name.size() > 1 && name.find('/') != std::string_view::npos) return analyze_qualified(form, name);
  return analyze_unqualified(form, name, or_nil);
}

Node* Analyzer::analyze_unqualified(const Form& form, std::string_view name, bool or_nil) {
  if (is_global(name)) return make_global(form, name, or_nil);
  const std::optional<BuiltinId> builtin = find_builtin(name);
  if (builtin && is_visible_builtin(*builtin)) {
    if (options_.prelude || !scope_.may_be_defined(name)) return analyze_builtin(form, *builtin);
    Node* node = make_global(form, name, false);
    node->or_builtin = true;
    node->builtin = *builtin;
    return node;
  }
  if (is_placeholder(name)) {
    return fail(form.span, FaultKind::InvalidPlaceholder,
                {"placeholder '", name, "' can only be used inside #() anonymous function syntax"});
  }
  if (name.size() > 1 && name[0] == '.') return analyze_method(form, name);
  if (or_nil) return make_global(form, name, true);
  return record_unbound(form, name);
}

// A wrong number of arguments is a fault of the run, except for names that were forms, and interop members.
bool Analyzer::check_static_arity(const Form& form, BuiltinId builtin, std::size_t count) {
  if (accepts(builtin, count)) return true;
  const BuiltinInfo& info = builtin_info(builtin);
  const bool was_form =
      builtin == BuiltinId::juxt || builtin == BuiltinId::pmap || builtin == BuiltinId::apply;
  if (was_form || builtin == BuiltinId::budget_remaining) {
    fail(form.span, FaultKind::InvalidArity, {"expected ", info.usage.empty() ? info.name : info.usage});
    return false;
  }
  if (info.category != BuiltinCategory::Interop) return true;
  const std::string least = std::to_string(info.min_args);
  const std::string most = info.max_args == kVariadic ? " or more" : "-" + std::to_string(info.max_args);
  fail(form.span, FaultKind::JavaArityError,
       {info.name, " expects ", least, info.max_args == info.min_args ? "" : most,
        info.min_args == 1 && info.max_args == 1 ? " argument, got " : " arguments, got ",
        std::to_string(count)});
  return false;
}

void Analyzer::note_call(const Form& form, const Node& callee, std::size_t count) {
  NotedCall call;
  call.span = form.span;
  call.count = count;
  if (callee.kind == NodeKind::Builtin && !accepts(callee.builtin, count)) call.builtin = callee.builtin;
  if (callee.kind == NodeKind::Global && !callee.or_builtin) call.global = callee.text;
  if (callee.kind == NodeKind::Local) call.local = callee.local;
  const bool is_of_interest = call.builtin || !call.global.empty() || call.local != kNoLocal;
  if (!is_of_interest) return;
  ast_.take(ProgramNotes::kBytesOfEntry, form.span);
  options_.notes->calls.push_back(std::move(call));
}

Node* Analyzer::analyze_call(const Form& form) {
  const Form& head = *form.items[0];
  const Items arguments = Items(form.items).subspan(1);
  Node* callee = analyze(head, false);
  if (callee == nullptr) return nullptr;
  const bool named = head.kind == FormKind::Symbol || head.kind == FormKind::VarQuote;
  if (named && callee->kind == NodeKind::Invoke) {
    if (arguments.empty()) return callee;
    callee->kind = NodeKind::Builtin;
  }
  if (named && options_.notes != nullptr) note_call(form, *callee, arguments.size());
  Node* node = nullptr;
  if (named && callee->kind == NodeKind::Builtin &&
      !check_static_arity(form, callee->builtin, arguments.size())) {
    return nullptr;
  }
  if (named && callee->kind == NodeKind::Builtin && accepts(callee->builtin, arguments.size())) {
    if (Node* inlined = inline_sequence_call(form, callee->builtin); inlined != nullptr || result_.failed) {
      return inlined;
    }
    node = make_invoke(form.span, callee->builtin, {});
  } else {
    node = make_call(form.span, callee);
  }
  if (!analyze_into(*node, arguments)) return nullptr;
  if (!check_awaited(*node)) return nullptr;
  if (node->kind != NodeKind::Invoke) return inline_literal_call(node);
  if (Node* counted = inline_count(node); counted != nullptr) return counted;
  Node* update = inline_update(node);
  return update != nullptr ? update : fold_invoke(node);
}

Node* Analyzer::analyze_data_call(const Form& form) {
  const std::string_view name = form.items[0]->text;
  if (options_.notes != nullptr) options_.notes->data.push_back({std::string(name.substr(5)), form.items[0]->span});
  return make_invoke(form.span, BuiltinId::h_fail,
                     {make_string(form.span, "not_callable"),
                      make_string(form.span, std::string(name) + " is not callable: write " +
                                                 std::string(name) + " without parentheses")});
}

}  // namespace ptc
