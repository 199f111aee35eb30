#include "runtime/engine/automaton_cache.h"

#include <utility>

namespace ptc {

std::shared_ptr<const Automaton> AutomatonCache::find(std::string_view pattern) {
  const std::lock_guard lock(mutex_);
  return shelf_.find(pattern);
}

void AutomatonCache::share(std::string_view pattern, std::shared_ptr<const Automaton> automaton) {
  const std::lock_guard lock(mutex_);
  if (shelf_.find(pattern) == nullptr) shelf_.keep(pattern, std::move(automaton));   // another run may have been faster
}

std::uint64_t AutomatonCache::bytes() const {
  const std::lock_guard lock(mutex_);
  return shelf_.bytes();
}

}  // namespace ptc
