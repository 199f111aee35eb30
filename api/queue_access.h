// Jobs of the public API as jobs of the runtime.
#pragma once
#include <utility>

#include "api/errors.h"
#include "api/store_access.h"
#include "ptcvm/queues.hpp"
#include "runtime/log/run_queue.h"

namespace ptcvm {

// Errors: invalid_program; invalid_value.
PTCVM_HIDDEN Result<ptc::Job> runtime_job(const Engine& engine, const QueuedJob& from);
PTCVM_HIDDEN Error no_queues();   // not_available

// Calls `ask` with the queue of the store, and `read` with its answer.
template <class T, class Ask, class Read>
Result<T> answer_of(const Store& store, Ask ask, Read read) {
  ptc::RunQueue* const queue = StoreAccess::store(store).queue();
  if (queue == nullptr) return no_queues();
  auto answer = ask(*queue);
  if (const auto* error = std::get_if<ptc::StoreError>(&answer)) return store_error(*error);
  return read(std::get<0>(std::move(answer)));
}

inline constexpr auto kAsIs = [](auto value) { return value; };

}  // namespace ptcvm
