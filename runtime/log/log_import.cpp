#include "runtime/log/log_import.h"

#include <algorithm>

#include "runtime/log/fact_json.h"
#include "runtime/log/process_owner.h"

namespace ptc {
namespace {

constexpr std::int64_t kLeaseMs = 600'000;
constexpr std::ptrdiff_t kBatch = 1'000;

bool is_decision(const Fact& fact) { return fact_class(fact.kind) == FactClass::Decision; }

class Import {
 public:
  Import(FactStore& store, std::string_view run, std::uint64_t token) : store_(store), run_(run), token_(token) {}

  // The error, if there is one.
  std::optional<StoreError> write(std::span<const Fact> facts) {
    for (auto at = facts.begin(); at != facts.end();) {
      const bool decisions = is_decision(*at);
      const auto limit = facts.end() - at > kBatch ? at + kBatch : facts.end();
      const auto end = std::find_if(at, limit, [decisions](const Fact& f) { return is_decision(f) != decisions; });
      const std::span<const Fact> batch(at, end);
      if (auto error = decisions ? decide(batch) : put(batch, end == facts.end())) return error;
      at = end;
    }
    return std::nullopt;
  }

 private:
  std::optional<StoreError> put(std::span<const Fact> batch, bool is_last) {
    const bool ends = is_last && batch.back().kind == FactKind::TurnEnded;
    const Cut cut = Cut::blind(token_);
    auto done = ends ? store_.ended(run_, cut, batch) : store_.put(run_, cut, batch);
    if (auto* error = std::get_if<StoreError>(&done)) return std::move(*error);
    seq_ += batch.size();
    return std::nullopt;
  }

  std::optional<StoreError> decide(std::span<const Fact> batch) {
    auto done = store_.decide(run_, {token_, seq_}, batch);
    if (auto* error = std::get_if<StoreError>(&done)) return std::move(*error);
    seq_ += batch.size();
    return std::nullopt;
  }

  FactStore& store_;
  const std::string_view run_;
  const std::uint64_t token_;
  std::uint64_t seq_ = 0;
};

}  // namespace

std::optional<std::vector<Fact>> read_facts(std::string_view lines, std::string& why) {
  std::vector<Fact> facts;
  for (std::size_t at = 0, number = 1; at < lines.size(); ++number) {
    const std::size_t end = std::min(lines.find('\n', at), lines.size());
    const std::string_view line = lines.substr(at, end - at);
    at = end + 1;
    if (line.empty()) continue;
    auto fact = read_fact_json(line, why);
    if (fact && fact->seq != facts.size() + 1) why = "the facts are not numbered from 1 without gaps";
    if (!fact || fact->seq != facts.size() + 1) {
      why = "line " + std::to_string(number) + ": " + why;
      return std::nullopt;
    }
    facts.push_back(std::move(*fact));
  }
  return facts;
}

StoreResult<ImportEnd> import_log(FactStore& store, std::string_view run, std::span<const Fact> facts,
                                  std::int64_t now_ms) {
  auto info = store.info(run);
  if (auto* error = std::get_if<StoreError>(&info)) return std::move(*error);
  if (const auto& known = std::get<std::optional<RunInfo>>(info); known && known->head != 0) return ImportEnd::Exists;
  auto claim = store.claim(run, process_owner(), now_ms, kLeaseMs);
  if (auto* error = std::get_if<StoreError>(&claim)) return std::move(*error);
  const Claim& mine = std::get<Claim>(claim);
  if (!mine.granted) return ImportEnd::Busy;
  auto failed = Import(store, run, mine.token).write(facts);
  store.release(run, mine.token);
  if (failed) return std::move(*failed);
  return ImportEnd::Done;
}

}  // namespace ptc
