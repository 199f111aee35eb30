// What opening a run reads, from a store that answers it in several calls.
#include <utility>

#include "runtime/log/fact_store.h"
#include "runtime/log/log_writer.h"

namespace ptc {
namespace {

// Moves the value of an answer to its place. Returns the error, if there is one.
template <class T>
std::optional<StoreError> take_into(T& place, StoreResult<T> answer) {
  if (auto* error = std::get_if<StoreError>(&answer)) return std::move(*error);
  place = std::get<T>(std::move(answer));
  return std::nullopt;
}

}  // namespace

StoreResult<Opening> FactStore::opening(std::string_view log) {
  std::optional<RunInfo> row;
  if (auto error = take_into(row, info(log))) return *std::move(error);
  return row ? opening_of_parts(log, row->head) : Opening();
}

StoreResult<Opening> FactStore::opening_of_parts(std::string_view log, std::uint64_t head) {
  Opening out;
  out.head = head;
  const auto add_notable = [&out](const Fact& fact) {
    if (fact.seq <= out.head) out.notable.push_back(fact);
  };
  const auto add_later = [&out](const Fact& fact) { out.later.push_back(fact); };
  if (auto error = visit_notable(*this, log, add_notable)) return *std::move(error);
  if (auto error = take_into(out.open_calls, open_calls(log))) return *std::move(error);
  if (auto error = visit_facts(*this, log, out.head, add_later)) return *std::move(error);
  if (auto error = take_into(out.parked, parked(log))) return *std::move(error);
  return out;
}

}  // namespace ptc
