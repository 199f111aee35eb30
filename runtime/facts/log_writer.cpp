#include "runtime/facts/log_writer.h"

#include <utility>

namespace ptc {

Fact LogWriter::made(FactKind kind, FactAuthor author) const {
  Fact fact;
  fact.kind = kind;
  fact.author = author;
  fact.time_ms = now();
  return fact;
}

std::optional<Fact> LogWriter::put(Fact fact) {
  if (stopped()) return std::nullopt;
  auto result = store_.put(name_, token_, {&fact, 1});
  if (auto* error = std::get_if<StoreError>(&result)) {
    stop(std::move(*error));
    return std::nullopt;
  }
  if (!catch_up()) return std::nullopt;
  return std::get<std::vector<Put>>(result).front().fact;
}

bool LogWriter::catch_up() {
  constexpr std::size_t kPage = 1'000;
  while (!stopped()) {
    auto page = store_.read(name_, log_.head(), kPage);
    if (auto* error = std::get_if<StoreError>(&page)) {
      stop(std::move(*error));
      break;
    }
    const auto& facts = std::get<std::vector<Fact>>(page);
    for (const Fact& fact : facts) log_.add(fact);
    if (facts.size() < kPage) return true;
  }
  return false;
}

bool LogWriter::flush() {
  auto flushed = store_.flush();
  if (auto* error = std::get_if<StoreError>(&flushed)) stop(std::move(*error));
  return !stopped();
}

void LogWriter::stop(StoreError error) {
  if (!error_) error_ = std::move(error);
}

}  // namespace ptc
