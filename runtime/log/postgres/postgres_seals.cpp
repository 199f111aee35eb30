#include "runtime/log/postgres/postgres_seals.h"

#include <algorithm>
#include <set>

#include "runtime/log/postgres/postgres_answers.h"
#include "runtime/log/postgres/compact_fact.h"
#include "runtime/log/postgres/postgres_calls.h"

namespace ptc {
namespace {

using Kind = StoreError::Kind;

// The logs that are remembered at most; beyond them all are forgotten and checked again from their first facts.
constexpr std::size_t kMostChecked = 10'000;
constexpr std::uint64_t kPage = 256;   // facts that are read at once
constexpr int kMostRounds = 100;       // others that may be faster, until a call fails

constexpr char kSealedLog[] = "SELECT * FROM ptcvm.sealed_log($1)";
constexpr char kSealedFacts[] = "SELECT * FROM ptcvm.sealed_facts($1,$2,$3)";
constexpr char kTakenKeys[] = "SELECT * FROM ptcvm.taken_keys($1,$2)";

std::span<const std::uint8_t> as_bytes(std::string_view text) {
  return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

std::string as_string(const std::vector<std::uint8_t>& bytes) { return {bytes.begin(), bytes.end()}; }

StoreResult<std::string> sealed_by(const LogSealer& sealer, std::string_view log, const LogHead& head) {
  auto sealed = sealer.sealed(log, head);
  if (auto* refused = std::get_if<StoreError>(&sealed)) return std::move(*refused);
  return as_string(std::get<std::vector<std::uint8_t>>(sealed));
}

StoreError too_many_writers(std::string_view log) {
  return {Kind::Locked, "the log of " + std::string(log) + " changed again and again before it could be checked"};
}

}   // namespace

PostgresParameters& add_envelope(PostgresParameters& out, const std::string& envelope) {
  return envelope.empty() ? out.null_bytes() : out.bytes(envelope);
}

void add_seal(PostgresParameters& out, const NextSeal* seal) {
  if (seal == nullptr) {
    out.null_bytes().null_bytes().integer(std::nullopt);
  } else {
    add_envelope(add_envelope(out, seal->after), seal->before).count(seal->head.seq);
  }
}

LogSealer PostgresSeals::sealer_for(std::string_view tenant) const {
  return tenant.empty() ? *sealer_ : sealer_->for_tenant(std::string(tenant));
}

LogSealer PostgresSeals::sealer_of(std::string_view log, const std::string* tenant) const {
  if (tenant != nullptr) return sealer_for(*tenant);
  const std::lock_guard lock(mutex_);
  for (;;) {                                   // the logs RUN/... are parts of the run (node_store.h)
    if (const auto at = tenants_.find(log); at != tenants_.end()) return sealer_for(at->second);
    const std::size_t end = log.rfind('/');
    if (end == std::string_view::npos) return *sealer_;
    log = log.substr(0, end);
  }
}

std::optional<PostgresSeals::Known> PostgresSeals::known(std::string_view log) const {
  const std::lock_guard lock(mutex_);
  const auto at = known_.find(log);
  return at == known_.end() ? std::nullopt : std::optional(at->second);
}

// `before` is what was known before the check. What another thread has found out since is newer.
void PostgresSeals::remember(std::string_view log, Known checked, const std::optional<Known>& before) {
  const std::lock_guard lock(mutex_);
  const auto at = known_.find(log);
  if (at == known_.end()) {
    if (known_.size() >= kMostChecked) known_.clear();
    known_.emplace(log, std::move(checked));
    return;
  }
  const Known& now = at->second;
  if (!before || now.envelope != before->envelope) return;
  if (now.least_token != before->least_token) checked.least_token = std::max(checked.least_token, now.least_token);
  checked.is_claimed = now.is_claimed && !before->is_claimed;
  at->second = std::move(checked);
}

StoreResult<PostgresSeals::MaybeRow> PostgresSeals::row_of(std::string_view log) const {
  PostgresParameters parameters;
  parameters.bytes(log);
  const auto read = [](const PostgresRows& rows) -> StoreResult<MaybeRow> {
    if (rows.count() == 0) return MaybeRow();
    Row out;
    if (!rows.null_at(0, 0)) out.envelope = rows.bytes_at(0, 0);
    out.token = rows.count_at(0, 1);
    out.head = rows.count_at(0, 2);
    out.open_calls = rows.count_array_at(0, 3);
    return MaybeRow(std::move(out));
  };
  return answer_of<MaybeRow>(calls_.look(kSealedLog, parameters), read);
}

// What the envelope says, or that there is nothing to seal yet.
StoreResult<LogHead> PostgresSeals::head_in(std::string_view log, const Row& row, const LogSealer& sealer) const {
  if (row.envelope.empty()) {
    if (row.head == 0) return LogHead();   // somebody claimed the log and wrote nothing
    return not_sealed(log);
  }
  auto head = sealer.opened(log, as_bytes(row.envelope));
  if (const auto* opened = std::get_if<LogHead>(&head); opened != nullptr && row.token < opened->token) {
    return claim_changed(log);
  }
  return head;
}

std::optional<StoreError> PostgresSeals::walk_pages(std::string_view log, LogWalk& walk, Known& out,
                                                    std::uint64_t to) const {
  while (walk.seq() < to) {
    PostgresParameters parameters;
    parameters.bytes(log).count(walk.seq()).count(std::min(kPage, to - walk.seq()));
    auto answer = calls_.look(kSealedFacts, parameters);
    if (auto* error = std::get_if<StoreError>(&answer)) return std::move(*error);
    const auto& rows = std::get<PostgresRows>(answer);
    if (rows.count() == 0) return std::nullopt;
    for (int row = 0; row < rows.count() && walk.seq() < to; ++row) {
      const auto fact = read_stored(rows.bytes_at(row, 1));
      const std::vector<std::uint8_t> body = sealed_bytes(rows.bytes_at(row, 1));
      WalkedFact walked{rows.count_at(row, 0), body, std::nullopt, rows.integer_at(row, 4), rows.integer_at(row, 3)};
      if (!rows.null_at(row, 2)) walked.key = rows.bytes_at(row, 2);
      const std::string key = fact ? indexed_key(fact->key) : std::string();
      if (auto refused = walk.take(walked, fact, key.empty() ? std::nullopt : std::optional(std::string_view(key)))) {
        return refused;
      }
      if (fact->writer != rows.count_at(row, 5)) return fact_changed(log, "the column of a writer differs");
      if (walk.seq() != 1) continue;
      out.first = chained(Digest(), log, 1, body);
      out.started_ms = fact->time_ms;
    }
  }
  return std::nullopt;
}

// Goes along the facts after `from` until the end that was sealed.
StoreResult<PostgresSeals::Known> PostgresSeals::walked(std::string_view log, const Row& row, const Known& from,
                                                        const LogHead& to) const {
  Known out = from;
  LogWalk walk(log, from.head);
  if (auto refused = walk_pages(log, walk, out, to.seq)) return *std::move(refused);
  if (auto refused = walk.end(to)) return *std::move(refused);
  if (row.head < to.seq) return fact_missing(log, row.head + 1);
  if (row.head > to.seq) return fact_changed(log, "fact " + std::to_string(to.seq + 1) + " was not sealed");
  if (walk.is_whole()) {
    if (auto refused = walk.compare_open(row.open_calls)) return *std::move(refused);
    if (auto refused = check_parked(log, to)) return *std::move(refused);
  }
  out.envelope = row.envelope;
  out.head = to;
  out.least_token = row.token;
  out.is_claimed = false;
  return out;
}

std::optional<StoreError> PostgresSeals::check_parked(std::string_view log, const LogHead& sealed) const {
  const auto parked = read_parked_(log);
  if (const auto* error = std::get_if<StoreError>(&parked)) return *error;
  const auto& found = std::get<std::optional<Parked>>(parked);
  if ((found ? parked_digest(log, *found) : Digest()) == sealed.parked) return std::nullopt;
  return parked_changed(log);
}

// A log that is not what it was may be another run, which was enqueued when the one before was removed: then its first
// fact is another and later one.
StoreResult<PostgresSeals::Known> PostgresSeals::check_row(std::string_view log, const Row& row,
                                                           const std::optional<Known>& before, bool from_first,
                                                           const LogHead& head) {
  const bool is_older = before && (head.seq < before->head.seq || row.token < before->least_token);
  const bool goes_on = before && !is_older && !from_first && !before->is_claimed;
  if (goes_on && before->envelope == row.envelope) return *before;
  auto out = walked(log, row, goes_on ? *before : Known(), head);
  if (!before) return out;
  if (const auto* error = std::get_if<StoreError>(&out); goes_on && error != nullptr && error->kind == Kind::Seal) {
    auto whole = walked(log, row, Known(), head);
    const auto* const other = std::get_if<Known>(&whole);
    return other != nullptr && other->first != before->first && other->started_ms >= before->started_ms ? whole : out;
  }
  const auto* const found = std::get_if<Known>(&out);
  if (!is_older || found == nullptr) return out;
  const bool is_another = found->first != before->first && found->started_ms >= before->started_ms;
  if (head.seq == 0 || !is_another) return rolled_back(log);
  return out;
}

StoreResult<CheckedLog> PostgresSeals::checked(std::string_view log, SealCheck extent, const std::string* tenant) {
  const LogSealer sealer = sealer_of(log, tenant);
  for (int round = 0; round < kMostRounds; ++round) {
    const auto before = known(log);   // the row is at least as new
    auto read = row_of(log);
    if (auto* error = std::get_if<StoreError>(&read)) return std::move(*error);
    const auto& row = std::get<MaybeRow>(read);
    if (!row) return CheckedLog();
    auto head = head_in(log, *row, sealer);
    if (auto* refused = std::get_if<StoreError>(&head)) return std::move(*refused);
    const LogHead& sealed = std::get<LogHead>(head);
    auto out = check_row(log, *row, before, extent == SealCheck::Whole, sealed);
    if (auto* found = std::get_if<Known>(&out)) {
      CheckedLog done{row->envelope, sealed, true};
      remember(log, std::move(*found), before);
      return done;
    }
    auto& refused = std::get<StoreError>(out);
    if (refused.kind != Kind::Seal) return std::move(refused);
    auto now = row_of(log);   // an honest writer changes the seal
    if (auto* error = std::get_if<StoreError>(&now)) return std::move(*error);
    const auto& still = std::get<MaybeRow>(now);
    if (still && still->envelope == row->envelope) return std::move(refused);
  }
  return too_many_writers(log);
}

StoreResult<LogHead> PostgresSeals::check_to_open(std::string_view log) {
  auto out = check(log);
  if (auto* error = std::get_if<StoreError>(&out)) return std::move(*error);
  const auto& found = std::get<CheckedLog>(out);
  if (!found.is_there && known(log)) return rolled_back(log);
  return found.head;
}

StoreResult<CheckedLog> PostgresSeals::check_to_claim(std::string_view log) {
  auto out = checked(log, SealCheck::Whole, nullptr);
  const auto* const found = std::get_if<CheckedLog>(&out);
  if (found == nullptr) return out;
  if (!found->is_there && known(log)) return rolled_back(log);
  auto can_sign = sealer_of(log, nullptr).sealed(log, found->head);
  if (auto* refused = std::get_if<StoreError>(&can_sign)) return std::move(*refused);
  return out;
}

StoreResult<std::optional<Parked>> PostgresSeals::parked(std::string_view log) {
  for (int round = 0; round < kMostRounds; ++round) {
    auto before = check(log);
    if (auto* error = std::get_if<StoreError>(&before)) return std::move(*error);
    auto out = read_parked_(log);
    auto* const found = std::get_if<std::optional<Parked>>(&out);
    if (found == nullptr) return out;
    const auto& sealed = std::get<CheckedLog>(before);
    if ((*found ? parked_digest(log, **found) : Digest()) == sealed.head.parked) return out;
    auto after = check(log);
    if (auto* error = std::get_if<StoreError>(&after)) return std::move(*error);
    if (std::get<CheckedLog>(after).envelope == sealed.envelope) return parked_changed(log);
  }
  return too_many_writers(log);
}

StoreResult<LogHead> PostgresSeals::appended(std::string_view log, LogHead head, const FactColumns& facts,
                                             bool may_be_taken) {
  std::set<std::string, std::less<>> taken;
  if (may_be_taken) {
    PostgresParameters parameters;
    parameters.bytes(log).byte_array(facts.keys);
    auto answer = calls_.look(kTakenKeys, parameters);
    if (auto* error = std::get_if<StoreError>(&answer)) return std::move(*error);
    const auto& rows = std::get<PostgresRows>(answer);
    for (int row = 0; row < rows.count(); ++row) taken.emplace(rows.bytes_at(row, 0));
  }
  for (std::size_t i = 0; i < facts.bodies.size(); ++i) {
    if (facts.keys[i] && !taken.insert(*facts.keys[i]).second) continue;
    head.chain = chained(head.chain, log, ++head.seq, sealed_bytes(*facts.bodies[i]));
  }
  return head;
}

// The first attempt goes by what this object knows. When the log has changed since, the second one goes by what was
// added; when that is nothing, by the keys that are taken, and then by the whole log.
std::optional<StoreError> PostgresSeals::write(std::string_view log, const std::string* tenant, const Next& next,
                                               const Write& write) {
  const LogSealer sealer = sealer_of(log, tenant);
  std::optional<std::string> tried;
  int alike = 0;                       // attempts in a row that went by the same seal
  for (int round = 0; round < kMostRounds; ++round) {
    CheckedLog now;
    if (const auto before = known(log); round == 0 && before && !before->is_claimed) {
      now = {before->envelope, before->head, true};
    } else {
      auto found = checked(log, alike > 1 ? SealCheck::Whole : SealCheck::Rest, tenant);
      if (auto* error = std::get_if<StoreError>(&found)) return std::move(*error);
      now = std::get<CheckedLog>(std::move(found));
      if (!now.is_there && before) return rolled_back(log);
    }
    alike = tried == now.envelope ? alike + 1 : 0;
    auto head = next(now.head, alike > 0);
    if (auto* error = std::get_if<StoreError>(&head)) return std::move(*error);
    NextSeal seal{now.envelope, now.envelope, std::get<LogHead>(std::move(head))};
    if (seal.head != now.head) {
      auto sealed = sealed_by(sealer, log, seal.head);
      if (auto* error = std::get_if<StoreError>(&sealed)) return std::move(*error);
      seal.after = std::get<std::string>(std::move(sealed));
    }
    auto done = write(seal);
    if (auto* error = std::get_if<StoreError>(&done)) return std::move(*error);
    if (std::get<SealedWrite>(done) == SealedWrite::Written) written(log, seal);
    if (std::get<SealedWrite>(done) != SealedWrite::Changed) return std::nullopt;
    tried = now.envelope;
  }
  return too_many_writers(log);
}

// A log that was begun is checked once from its first fact.
void PostgresSeals::written(std::string_view log, const NextSeal& seal) {
  const std::lock_guard lock(mutex_);
  const auto at = known_.find(log);
  if (at == known_.end() || at->second.envelope != seal.before) return;
  if (seal.before.empty()) at->second.is_claimed = true;
  at->second.envelope = seal.after;
  at->second.head = seal.head;
  at->second.least_token = std::max(at->second.least_token, seal.head.token);
}

void PostgresSeals::claimed(std::string_view log, std::uint64_t token) {
  const std::lock_guard lock(mutex_);
  const auto at = known_.find(log);
  if (at != known_.end()) at->second.least_token = std::max(at->second.least_token, token);
}

void PostgresSeals::claimed_by_queue(std::string_view log, std::uint64_t token, std::string_view tenant) {
  const std::lock_guard lock(mutex_);
  tenants_.insert_or_assign(std::string(log), std::string(tenant));
  const auto at = known_.find(log);
  if (at == known_.end()) return;
  at->second.is_claimed = true;
  at->second.least_token = std::max(at->second.least_token, token);
}

void PostgresSeals::finished(std::string_view log) {
  const std::lock_guard lock(mutex_);
  if (const auto at = tenants_.find(log); at != tenants_.end()) tenants_.erase(at);
}

void PostgresSeals::forget(std::string_view log) {
  const std::lock_guard lock(mutex_);
  if (const auto at = known_.find(log); at != known_.end()) known_.erase(at);
  const std::string begin = std::string(log) + '/';      // its parts went with it, and others are checked again
  for (auto at = known_.lower_bound(begin); at != known_.end() && at->first.starts_with(begin);) at = known_.erase(at);
}

StoreResult<std::string> PostgresSeals::of_new_log(std::string_view log, std::string_view tenant,
                                                   std::string_view body) const {
  LogHead head;
  head.seq = 1;
  head.chain = chained(Digest(), log, 1, sealed_bytes(body));
  return sealed_by(sealer_for(tenant), log, head);
}

namespace {

// A schedule is sealed like a log of that name. No log has this chain, because facts of logs begin with the place 1.
std::string log_of_schedule(const ScheduleRow& row) { return "ptcvm/schedule/" + row.name; }

LogHead head_of_schedule(const ScheduleRow& row, std::string_view start) {
  std::string words;
  const auto add = [&words](std::string_view word) { words += std::to_string(word.size()) + ':' + std::string(word); };
  const std::string body = as_string(sealed_bytes(start));
  for (const std::string_view word : {std::string_view(row.spec), std::string_view(row.job.queue),
                                      std::string_view(body)}) {
    add(word);
  }
  add(std::to_string(row.job.priority));
  add(std::to_string(row.job.most_attempts));
  for (const std::string& need : row.job.needs) add(need);
  LogHead head;
  head.seq = 1;
  head.chain = chained(Digest(), log_of_schedule(row), 0, as_bytes(words));
  return head;
}

}   // namespace

StoreResult<std::string> PostgresSeals::of_schedule(const ScheduleRow& row, std::string_view start) const {
  return sealed_by(sealer_for(row.job.tenant), log_of_schedule(row), head_of_schedule(row, start));
}

std::optional<StoreError> PostgresSeals::check_schedule(const ScheduleRow& row, std::string_view start,
                                                        std::string_view envelope) const {
  const std::string what = "the schedule " + row.name;
  if (envelope.empty()) return seal_refusal("not_sealed", what + " is not sealed: put it again with the key ring");
  auto opened = sealer_for(row.job.tenant).opened(log_of_schedule(row), as_bytes(envelope));
  if (auto* refused = std::get_if<StoreError>(&opened)) return std::move(*refused);
  if (std::get<LogHead>(opened) == head_of_schedule(row, start)) return std::nullopt;
  return seal_refusal("schedule_changed", what + " is not what was sealed. Somebody changed the store");
}

}   // namespace ptc
