// Names that nothing defines. They are collected while the program is analysed and reported at its end: other
// static errors come first, and inside of functions a definition further down will do.
#include <algorithm>

#include "compiler/analyze/analysis.h"
#include "compiler/analyze/suggestions.h"

namespace ptc {
namespace {

// Names in scope are kept, for suggestions, with this many unbound names; and this many of them.
constexpr std::size_t kDetailedNames = 8;
constexpr std::size_t kKeptLocals = 200;
// Names that one message lists.
constexpr std::size_t kListedNames = 20;

}  // namespace

Node* Analyzer::record_unbound(const Form& form, std::string_view name) {
  UnboundName unbound{name, form.span, function_depth_ > 0, &form == task_id_, {}};
  if (unbound_.size() < kDetailedNames) {
    const std::vector<std::string_view>& bound = scope_.bound_names();
    const std::size_t first = bound.size() > kKeptLocals ? bound.size() - kKeptLocals : 0;
    unbound.locals.assign(bound.begin() + static_cast<std::ptrdiff_t>(first), bound.end());
  }
  unbound_.push_back(std::move(unbound));
  return make_global(form, name, false);
}

bool Analyzer::report_unbound() {
  std::string names;
  std::size_t count = 0;
  const UnboundName* first = nullptr;
  std::unordered_set<std::string_view> seen;
  for (const UnboundName& unbound : unbound_) {
    if (unbound.deferred && scope_.program_names().contains(unbound.name)) continue;
    if (!seen.insert(unbound.name).second) continue;
    if (first == nullptr) first = &unbound;
    if (++count > kListedNames) continue;
    names += (count == 1 ? "" : ", ") + std::string(unbound.name);
  }
  if (first == nullptr) return true;
  if (count > kListedNames) names += ", …";
  std::vector<std::string_view> candidates = first->locals;
  candidates.insert(candidates.end(), options_.memory_names.begin(), options_.memory_names.end());
  candidates.insert(candidates.end(), scope_.program_names().begin(), scope_.program_names().end());
  std::sort(candidates.begin(), candidates.end());
  std::string hint = suggest_name(first->name, find_head_form(first->name) != nullptr, candidates);
  if (first->task_id) hint = "task ids are strings: (task \"" + std::string(first->name) + "\" …)";
  fail(first->span, FaultKind::UnboundVar,
       {count == 1 ? "Undefined variable: " : "Undefined variables: ", names}, hint);
  return false;
}

}  // namespace ptc
