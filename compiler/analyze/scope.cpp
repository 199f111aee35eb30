// See scope.h.
#include "compiler/analyze/scope.h"

namespace ptc {

void Scope::restore(std::size_t mark) {
  while (bound_.size() > mark) {
    locals_[bound_.back()].pop_back();
    bound_.pop_back();
  }
}

LocalId Scope::find_local(std::string_view name) const {
  const auto at = locals_.find(name);
  return at == locals_.end() || at->second.empty() ? kNoLocal : at->second.back();
}

void Scope::define(std::string_view name) {
  ++defined_counts_[name];
  defined_.push_back(name);
  mentioned_.insert(name);
}

void Scope::forget_defined(std::size_t mark) {
  while (defined_.size() > mark) {
    const auto at = defined_counts_.find(defined_.back());
    if (--at->second == 0) defined_counts_.erase(at);
    defined_.pop_back();
  }
}

}  // namespace ptc
