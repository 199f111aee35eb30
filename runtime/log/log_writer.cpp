#include "runtime/log/log_writer.h"

#include <utility>

#include "runtime/log/process_owner.h"

namespace ptc {

namespace {

constexpr std::size_t kMostHeldText = 4096;
constexpr std::size_t kMostHeldBytes = std::size_t{1} << 20;

// `read` gives the page after a place in the log.
std::optional<StoreError> visit_pages(std::uint64_t after, const auto& read,
                                      const std::function<void(const Fact&)>& visit) {
  constexpr std::size_t kPage = 1'000;
  for (;;) {
    StoreResult<std::vector<Fact>> page = read(after, kPage);
    if (auto* error = std::get_if<StoreError>(&page)) return std::move(*error);
    const auto& facts = std::get<std::vector<Fact>>(page);
    for (const Fact& fact : facts) visit(fact);
    if (facts.size() < kPage) return std::nullopt;
    after = facts.back().seq;
  }
}

}  // namespace

std::optional<StoreError> visit_facts(FactStore& store, std::string_view name, std::uint64_t after,
                                      const std::function<void(const Fact&)>& visit) {
  const auto read = [&](std::uint64_t seq, std::size_t most) { return store.read(name, seq, most); };
  return visit_pages(after, read, visit);
}

StoreResult<std::vector<Fact>> all_facts(FactStore& store, std::string_view name) {
  std::vector<Fact> out;
  if (auto error = visit_facts(store, name, 0, [&out](const Fact& fact) { out.push_back(fact); })) {
    return *std::move(error);
  }
  return out;
}

std::optional<StoreError> visit_notable(FactStore& store, std::string_view name,
                                        const std::function<void(const Fact&)>& visit) {
  const auto read = [&](std::uint64_t seq, std::size_t most) { return store.read_notable(name, seq, most); };
  return visit_pages(0, read, visit);
}

std::optional<StoreError> read_on(FactStore& store, std::string_view name, RunLog& into) {
  return visit_facts(store, name, into.head(), [&into](const Fact& fact) { into.add(fact); });
}

std::optional<Claim> LogWriter::claim(std::string_view owner, std::optional<std::uint64_t> dead) {
  claimed_ms_ = now();
  auto result = store_.claim(name_, owner, claimed_ms_, lease_ms_, dead);
  const Claim* const claim = good(result);
  if (claim == nullptr) return std::nullopt;
  if (claim->granted) {
    token_ = claim->token;
    living_ = LivingClaim(name_, token_);
  } else if (dead != claim->held_token && owner_is_gone(claim->owner)) {
    return this->claim(owner, claim->held_token);
  }
  return *claim;
}

void LogWriter::release() {
  flush();
  if (token_ != 0) store_.release(name_, token_);   // or its lease ends
  living_ = {};
}

// Well before the lease is over. A claim that was lost shows when something is written.
void LogWriter::keep_claim() {
  if (stopped() || token_ == 0) return;
  const std::int64_t time = now();
  if (time - claimed_ms_ < lease_ms_ / 3) return;
  auto renewed = store_.renew(name_, token_, time, lease_ms_);
  if (good(renewed) != nullptr) claimed_ms_ = time;
}

void LogWriter::reopen() {
  token_ = opened_head_ = 0;
  living_ = {};
  forget();
  error_.reset();
}

void LogWriter::forget() {
  log_ = RunLog();
  held_bytes_ = recalled_bytes_ = 0;
  has_let_go_ = false;
  opened_parked_.reset();
  recalled_.clear();
}

Fact LogWriter::made(FactKind kind, FactAuthor author) const {
  Fact fact;
  fact.kind = kind;
  fact.author = author;
  fact.time_ms = now();
  return fact;
}

// Others wrote before this write: their facts come first.
bool LogWriter::take(Written& written) {
  for (const Fact& fact : written.others) log_.add(fact);
  if (written.more) return catch_up();
  for (const Put& put : written.puts) {
    if (put.mine) add_own(put.fact);
  }
  return true;
}

// The log in memory must not grow with what a run writes: long texts, and texts beyond a sum, are left to the store.
void LogWriter::add_own(const Fact& fact) {
  log_.add(fact);
  const std::size_t bytes = log_.bytes_to_let_go(fact);
  if (bytes <= kMostHeldText && held_bytes_ + bytes <= kMostHeldBytes) {
    held_bytes_ += bytes;
    return;
  }
  log_.let_go(fact);
  const bool is_looked_up = fact.kind != FactKind::OperationOpened && fact.kind != FactKind::TurnEnded;
  has_let_go_ = has_let_go_ || is_looked_up;   // tasks and calls
}

const std::vector<Put>* LogWriter::write_by(const auto& call) {
  if (stopped()) return nullptr;
  keep_claim();
  if (stopped()) return nullptr;
  puts_ = {};   // what was written before may be large
  StoreResult<Written> result = call();
  Written* const written = good(result);
  if (written == nullptr || !take(*written)) return nullptr;
  puts_ = std::move(written->puts);
  return &puts_;
}

const std::vector<Put>* LogWriter::write(std::span<const Fact> facts, Durability durability) {
  return write_by([&] { return store_.put(name_, cut(), facts, durability); });
}

std::optional<Fact> LogWriter::put(Fact fact, Durability durability) {
  if (write({&fact, 1}, durability) == nullptr) return std::nullopt;
  return std::move(puts_.front().fact);
}

bool LogWriter::decide(std::span<const Fact> facts) {
  if (stopped()) return false;
  auto result = store_.decide(name_, cut(), facts);
  Decided* const decided = good(result);
  return decided != nullptr && take(*decided) && !decided->conflict;
}

bool LogWriter::park(std::span<const Fact> facts, const Parked& parked) {
  if (stopped()) return false;
  auto result = store_.park(name_, cut(), facts, parked);
  ParkResult* const done = good(result);
  return done != nullptr && take(*done) && done->parked;
}

bool LogWriter::resume(const Fact& fact) {
  return write_by([&] { return store_.resumed(name_, cut(), {&fact, 1}); }) != nullptr;
}

bool LogWriter::end(const Fact& fact) {
  const bool is_written = write_by([&] { return store_.ended(name_, cut(), {&fact, 1}); }) != nullptr;
  puts_ = {};   // the value of a turn may be megabytes
  return is_written;
}

bool LogWriter::open() {
  auto result = store_.opening(name_);
  Opening* const opening = good(result);
  if (opening == nullptr) return false;
  opened_head_ = opening->head;
  opened_parked_ = std::move(opening->parked);
  for (const Fact& fact : opening->notable) log_.add(fact);
  log_.skip_to(opened_head_);
  for (const Fact& intent : opening->open_calls) log_.recall(intent);
  for (const Fact& fact : opening->notable) {
    if (fact.kind == FactKind::EffectDoubted) log_.recall(fact);   // says why, and which class counts
  }
  for (const Fact& fact : opening->later) log_.add(fact);
  return true;
}

std::optional<Parked> LogWriter::parked() {
  if (opened_parked_) return *std::exchange(opened_parked_, std::nullopt);
  auto result = store_.parked(name_);
  auto* const parked = good(result);
  return parked == nullptr ? std::nullopt : std::move(*parked);
}

bool LogWriter::open_whole() {
  error_.reset();
  forget();
  opened_head_ = 0;
  return catch_up();
}

std::optional<Fact> LogWriter::find(std::string_view key) {
  auto result = store_.find(name_, key);
  auto* const found = good(result);
  return found == nullptr ? std::nullopt : std::move(*found);
}

const Fact* LogWriter::recalled_task(const std::string& key) {
  if (const auto known = recalled_.find(key); known != recalled_.end()) return &known->second;
  auto found = find(key);
  if (!found) return nullptr;
  if (recalled_bytes_ > kMostHeldBytes) {
    recalled_.clear();
    recalled_bytes_ = 0;
  }
  recalled_bytes_ += found->value.size();
  return &recalled_.emplace(key, std::move(*found)).first->second;
}

// Finds a task's own value or a value from outside: the first one in the log counts.
LogWriter::FoundTask LogWriter::task(std::string_view id, std::uint64_t epoch) {
  const std::string* const held = log_.value_in(id, epoch);
  const LoggedTask* const latest = epoch == log_.epoch(id) ? log_.task(id) : nullptr;
  const bool is_external = latest != nullptr && !latest->source.empty();
  if ((!is_whole() || has_let_go_) && (held == nullptr || is_external)) {
    const Fact* const fact = recalled_task(task_key(id, epoch));
    if (fact != nullptr && (!is_external || fact->seq < latest->seq)) {
      return {&fact->value, fact->status == "return" && fact->seq > log_.turn_began()};
    }
  }
  return {held, held != nullptr && log_.returned_from(id)};
}

const LoggedEffect* LogWriter::effect(std::string_view key) {
  if (const LoggedEffect* known = log_.effect(key)) {
    if (known->is_let_go) take_back(*known);
    return known;
  }
  for (std::uint64_t attempt = 1; !is_whole(); ++attempt) {
    const auto intent = find(intent_key(key, attempt));
    if (!intent) break;
    log_.recall(*intent);
    const auto settled = find(effect_key(key, attempt));
    if (settled) log_.recall(*settled);
    if (settled && settled->kind != FactKind::EffectDoubted) continue;
    if (const auto said = find(doubt_key(key, attempt))) log_.recall(*said);
  }
  return log_.effect(key);
}

void LogWriter::take_back(const LoggedEffect& effect) {
  const auto intent = find(intent_key(effect.key, effect.attempt));
  const auto settled = find(effect_key(effect.key, effect.attempt));
  if (intent && settled) log_.take_back(*intent, *settled);
}

bool LogWriter::catch_up() {
  if (!stopped()) {
    if (auto error = read_on(store_, name_, log_)) stop(std::move(*error));
  }
  return !stopped();
}

bool LogWriter::flush() {
  if (stopped()) return false;
  auto flushed = store_.flush();
  return good(flushed) != nullptr;
}

void LogWriter::stop(StoreError error) {
  if (!error_) error_ = std::move(error);
}

}  // namespace ptc
