#include "tools/ptcvm/journal_import.h"

#include <algorithm>
#include <span>

#include "runtime/engine/clock.h"
#include "runtime/log/fact_json.h"
#include "runtime/log/process_owner.h"
#include "tools/ptcvm/commands.h"
#include "tools/ptcvm/store_options.h"

namespace ptcvm::cli {
namespace {

constexpr std::int64_t kLeaseMs = 600'000;
constexpr std::ptrdiff_t kBatch = 1'000;

bool is_decision(const ptc::Fact& fact) { return ptc::fact_class(fact.kind) == ptc::FactClass::Decision; }

class Import {
 public:
  Import(ptc::FactStore& store, const std::string& run, std::uint64_t token)
      : store_(store), run_(run), token_(token) {}

  std::optional<ptc::StoreError> write(std::span<const ptc::Fact> facts) {
    for (auto at = facts.begin(); at != facts.end();) {
      const bool decisions = is_decision(*at);
      const auto limit = facts.end() - at > kBatch ? at + kBatch : facts.end();
      const auto end = std::find_if(at, limit, [decisions](const ptc::Fact& f) { return is_decision(f) != decisions; });
      const std::span<const ptc::Fact> batch(at, end);
      if (auto error = decisions ? decide(batch) : put(batch, end == facts.end())) return error;
      at = end;
    }
    return std::nullopt;
  }

 private:
  std::optional<ptc::StoreError> put(std::span<const ptc::Fact> batch, bool is_last) {
    const bool ends = is_last && batch.back().kind == ptc::FactKind::TurnEnded;
    const auto cut = ptc::Cut::blind(token_);
    auto done = ends ? store_.ended(run_, cut, batch) : store_.put(run_, cut, batch);
    if (auto* error = std::get_if<ptc::StoreError>(&done)) return std::move(*error);
    seq_ += batch.size();
    return std::nullopt;
  }

  std::optional<ptc::StoreError> decide(std::span<const ptc::Fact> batch) {
    auto done = store_.decide(run_, {token_, seq_}, batch);
    if (auto* error = std::get_if<ptc::StoreError>(&done)) return std::move(*error);
    seq_ += batch.size();
    return std::nullopt;
  }

  ptc::FactStore& store_;
  const std::string& run_;
  const std::uint64_t token_;
  std::uint64_t seq_ = 0;
};

}  // namespace

std::optional<std::vector<ptc::Fact>> read_facts(std::string_view lines, std::string& message) {
  std::vector<ptc::Fact> facts;
  for (std::size_t at = 0, number = 1; at < lines.size(); ++number) {
    const std::size_t end = std::min(lines.find('\n', at), lines.size());
    const std::string_view line = lines.substr(at, end - at);
    at = end + 1;
    if (line.empty()) continue;
    auto fact = ptc::read_fact_json(line, message);
    if (fact && fact->seq != facts.size() + 1) message = "the facts are not numbered from 1 without gaps";
    if (!fact || fact->seq != facts.size() + 1) {
      message = "line " + std::to_string(number) + ": " + message;
      return std::nullopt;
    }
    facts.push_back(std::move(*fact));
  }
  return facts;
}

int import_log(ptc::FactStore& store, const std::string& run, const std::vector<ptc::Fact>& facts) {
  auto info = store.info(run);
  if (const auto* error = std::get_if<ptc::StoreError>(&info)) return complain_of_store(*error);
  if (const auto& known = std::get<std::optional<ptc::RunInfo>>(info); known && known->head != 0) {
    return refuse_input("there is a run " + run + " already");
  }
  auto claim = store.claim(run, ptc::process_owner(), ptc::system_millis(), kLeaseMs);
  if (const auto* error = std::get_if<ptc::StoreError>(&claim)) return complain_of_store(*error);
  const ptc::Claim& mine = std::get<ptc::Claim>(claim);
  if (!mine.granted) return refuse_input("another process has begun a run " + run);
  auto failed = Import(store, run, mine.token).write(facts);
  store.release(run, mine.token);
  return failed ? complain_of_store(*failed) : kSuccess;
}

}  // namespace ptcvm::cli
