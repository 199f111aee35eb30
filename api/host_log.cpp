// Logs of hosts: the calls of the store interface with the types of the public API.
#include "ptcvm/host_log.hpp"

#include <algorithm>
#include <array>
#include <mutex>
#include <utility>

#include "api/errors.h"
#include "api/store_access.h"
#include "runtime/log/fact_json.h"
#include "runtime/log/living_claims.h"
#include "runtime/log/run_queue.h"
#include "runtime/log/process_owner.h"

namespace ptcvm {
namespace {

// The kind of a host's fact, by its class.
constexpr std::array kKinds = {ptc::FactKind::HostObserved, ptc::FactKind::HostEffected, ptc::FactKind::HostDecided,
                               ptc::FactKind::HostNoted};

constexpr HostFactClass class_of(ptc::FactKind kind) {
  switch (ptc::fact_class(kind)) {
    case ptc::FactClass::Observation: return HostFactClass::Observation;
    case ptc::FactClass::Effect: return HostFactClass::Effect;
    case ptc::FactClass::Decision: return HostFactClass::Decision;
    case ptc::FactClass::Control: break;
  }
  return HostFactClass::Control;
}

static_assert(std::ranges::all_of(kKinds, [](ptc::FactKind kind) {
  return kKinds[static_cast<std::size_t>(class_of(kind))] == kind;
}));

// Returns the kind for the class, or a kind that every store refuses when the class is unknown.
ptc::FactKind kind_of(HostFactClass of) {
  const auto row = static_cast<std::size_t>(of);
  return row < kKinds.size() ? kKinds[row] : static_cast<ptc::FactKind>(ptc::kFacts.size());
}

bool is_of_host(ptc::FactKind kind) { return std::ranges::find(kKinds, kind) != kKinds.end(); }

// Keys of hosts never meet keys of runs.
std::string stored_key(std::string_view key) {
  return std::string(ptc::fact_info(ptc::FactKind::HostNoted).key).append("/").append(key);
}

std::string own_key(std::string_view stored) {
  const std::string prefix = stored_key("");
  return std::string(stored.starts_with(prefix) ? stored.substr(prefix.size()) : stored);
}

ptc::Cut cut_of(HostCut cut) { return {cut.token, cut.seq}; }

std::vector<ptc::Fact> stored(std::span<const HostFact> facts) {
  std::vector<ptc::Fact> out;
  out.reserve(facts.size());
  for (const HostFact& fact : facts) {
    ptc::Fact& to = out.emplace_back();
    to.kind = kind_of(fact.fact_class);
    to.author = ptc::FactAuthor::Host;
    to.time_ms = fact.time_ms;
    to.source = fact.by;
    to.id = fact.name;
    to.text = fact.body;
    if (!fact.key.empty()) to.key = stored_key(fact.key);
  }
  return out;
}

HostFact shown(ptc::Fact fact) {
  HostFact out;
  out.seq = fact.seq;
  out.fact_class = class_of(fact.kind);
  out.time_ms = fact.time_ms;
  out.writer = fact.writer;
  out.is_of_host = is_of_host(fact.kind);
  if (out.is_of_host) {
    if (!fact.key.empty()) out.key = own_key(fact.key);
    out.name = std::move(fact.id);
    out.body = std::move(fact.text);
  } else {
    out.name = ptc::fact_name(fact.kind);
    out.body = ptc::fact_json(fact);
  }
  out.by = std::move(fact.source);
  return out;
}

std::optional<HostFact> shown(std::optional<ptc::Fact> fact) {
  return fact ? std::optional(shown(*std::move(fact))) : std::nullopt;
}

std::vector<HostFact> shown(std::vector<ptc::Fact> facts) {
  std::vector<HostFact> out;
  out.reserve(facts.size());
  for (ptc::Fact& fact : facts) out.push_back(shown(std::move(fact)));
  return out;
}

void show(ptc::Written written, HostWritten& out) {
  for (ptc::Put& put : written.puts) out.puts.push_back({shown(std::move(put.fact)), put.mine});
  out.head = written.head;
  out.others = shown(std::move(written.others));
  out.more = written.more;
}

HostWritten shown(ptc::Written written) {
  HostWritten out;
  show(std::move(written), out);
  return out;
}

ptc::Parked stored(const HostParked& parked) {
  ptc::Parked out;
  out.continuation = parked.continuation;
  out.snapshot.reserve(parked.snapshot.size());
  for (const std::byte byte : parked.snapshot) out.snapshot.push_back(std::to_integer<std::uint8_t>(byte));
  for (const std::string& key : parked.wait_keys) out.wait_keys.push_back(stored_key(key));
  out.deadline_ms = parked.deadline_ms;
  out.observed_seq = parked.observed_seq;
  return out;
}

HostParked shown(ptc::Parked parked) {
  HostParked out;
  out.continuation = std::move(parked.continuation);
  out.snapshot.reserve(parked.snapshot.size());
  for (const std::uint8_t byte : parked.snapshot) out.snapshot.push_back(std::byte{byte});
  for (const std::string& key : parked.wait_keys) out.wait_keys.push_back(own_key(key));
  out.deadline_ms = parked.deadline_ms;
  out.observed_seq = parked.observed_seq;
  return out;
}

// Between the grant of a claim and the note that the claim lives, nobody in this process may look at the claim.
std::mutex& claiming() {
  static std::mutex mutex;
  return mutex;
}

// A claim of this process that no handle holds belongs to a handle that is gone.
bool holder_is_gone(const std::string& log, const ptc::Claim& held) {
  if (held.owner == ptc::process_owner()) return !ptc::is_living_claim(log, held.held_token);
  return ptc::owner_is_gone(held.owner);
}

}  // namespace

struct PTCVM_HIDDEN HostLog::Impl {
  Impl(const Store& given, std::string named) : store(given), id(std::move(named)) {}
  ptc::FactStore& facts() const { return StoreAccess::store(store); }

  void hold(std::uint64_t token) {
    const std::lock_guard lock(mutex);
    held = token;
    living = ptc::LivingClaim(id, token);
  }
  void let_go(std::uint64_t token) {
    const std::lock_guard lock(mutex);
    if (held == token) living = {};
  }

  const Store store;
  const std::string id;
  std::mutex mutex;               // guards held and living
  std::uint64_t held = 0;
  ptc::LivingClaim living;        // the last claim of this handle
};

HostLog HostLog::of(const Store& store, std::string id) {
  return HostLog(std::make_shared<Impl>(store, std::move(id)));
}

const std::string& HostLog::id() const { return impl_->id; }

std::string HostLog::this_process() { return ptc::process_owner(); }

bool HostLog::is_gone(std::string_view owner) { return ptc::owner_is_gone(owner); }

Result<std::int64_t> HostLog::store_time_ms(std::int64_t now_ms) const {
  ptc::RunQueue* const queue = impl_->facts().queue();
  if (queue == nullptr) return now_ms;
  auto time = queue->time(now_ms);
  if (const auto* error = std::get_if<ptc::StoreError>(&time)) return store_error(*error);
  return std::get<std::int64_t>(time);
}

Result<HostWritten> HostLog::put(HostCut cut, std::span<const HostFact> facts) {
  auto done = impl_->facts().put(id(), cut_of(cut), stored(facts));
  if (const auto* error = std::get_if<ptc::StoreError>(&done)) return store_error(*error);
  return shown(std::get<ptc::Written>(std::move(done)));
}

Result<HostWritten> HostLog::decide(HostCut cut, std::span<const HostFact> facts) {
  auto done = impl_->facts().decide(id(), cut_of(cut), stored(facts));
  if (const auto* error = std::get_if<ptc::StoreError>(&done)) return store_error(*error);
  ptc::Decided& decided = std::get<ptc::Decided>(done);
  HostWritten out;
  out.conflict = shown(std::move(decided.conflict));
  show(std::move(decided), out);
  return out;
}

Result<HostParkResult> HostLog::park(HostCut cut, std::span<const HostFact> facts, const HostParked& parked) {
  auto done = impl_->facts().park(id(), cut_of(cut), stored(facts), stored(parked));
  if (const auto* error = std::get_if<ptc::StoreError>(&done)) return store_error(*error);
  ptc::ParkResult& result = std::get<ptc::ParkResult>(done);
  HostParkResult out;
  out.is_parked = result.parked;
  out.arrived = shown(std::move(result.arrived));
  out.conflict = shown(std::move(result.conflict));
  show(std::move(result), out);
  return out;
}

Result<HostWritten> HostLog::resumed(HostCut cut, std::span<const HostFact> facts) {
  auto done = impl_->facts().resumed(id(), cut_of(cut), stored(facts));
  if (const auto* error = std::get_if<ptc::StoreError>(&done)) return store_error(*error);
  return shown(std::get<ptc::Written>(std::move(done)));
}

Result<HostWritten> HostLog::ended(HostCut cut, std::span<const HostFact> facts) {
  auto done = impl_->facts().ended(id(), cut_of(cut), stored(facts));
  if (const auto* error = std::get_if<ptc::StoreError>(&done)) return store_error(*error);
  return shown(std::get<ptc::Written>(std::move(done)));
}

Result<void> HostLog::flush() {
  auto done = impl_->facts().flush();
  if (const auto* error = std::get_if<ptc::StoreError>(&done)) return store_error(*error);
  return {};
}

Result<std::vector<HostFact>> HostLog::read(std::uint64_t after, std::size_t most) const {
  auto facts = impl_->facts().read(id(), after, most);
  if (const auto* error = std::get_if<ptc::StoreError>(&facts)) return store_error(*error);
  return shown(std::get<std::vector<ptc::Fact>>(std::move(facts)));
}

Result<std::optional<HostFact>> HostLog::find(std::string_view key) const {
  auto fact = impl_->facts().find(id(), stored_key(key));
  if (const auto* error = std::get_if<ptc::StoreError>(&fact)) return store_error(*error);
  return shown(std::get<std::optional<ptc::Fact>>(std::move(fact)));
}

Result<std::optional<HostParked>> HostLog::parked() const {
  auto parked = impl_->facts().parked(id());
  if (const auto* error = std::get_if<ptc::StoreError>(&parked)) return store_error(*error);
  auto& known = std::get<std::optional<ptc::Parked>>(parked);
  return known ? std::optional(shown(*std::move(known))) : std::nullopt;
}

Result<std::uint64_t> HostLog::head() const {
  auto info = impl_->facts().info(id());
  if (const auto* error = std::get_if<ptc::StoreError>(&info)) return store_error(*error);
  const auto& known = std::get<std::optional<ptc::RunInfo>>(info);
  return known ? known->head : 0;
}

Result<HostClaim> HostLog::claim(std::string owner, std::int64_t now_ms, std::int64_t lease_ms) {
  const std::lock_guard lock(claiming());
  if (owner.empty()) owner = ptc::process_owner();
  auto answer = impl_->facts().claim(id(), owner, now_ms, lease_ms);
  if (const auto* held = std::get_if<ptc::Claim>(&answer); held != nullptr && !held->granted) {
    if (holder_is_gone(id(), *held)) answer = impl_->facts().claim(id(), owner, now_ms, lease_ms, held->held_token);
  }
  if (const auto* error = std::get_if<ptc::StoreError>(&answer)) return store_error(*error);
  const ptc::Claim& claim = std::get<ptc::Claim>(answer);
  if (claim.granted) impl_->hold(claim.token);
  return HostClaim{claim.granted ? claim.token : 0, claim.granted, claim.owner, claim.until_ms};
}

Result<bool> HostLog::renew(std::uint64_t token, std::int64_t now_ms, std::int64_t lease_ms) {
  auto done = impl_->facts().renew(id(), token, now_ms, lease_ms);
  if (const auto* error = std::get_if<ptc::StoreError>(&done)) return store_error(*error);
  return std::get<bool>(done);
}

Result<bool> HostLog::release(std::uint64_t token) {
  auto done = impl_->facts().release(id(), token);
  if (const auto* error = std::get_if<ptc::StoreError>(&done)) return store_error(*error);
  impl_->let_go(token);
  return std::get<bool>(done);
}

}  // namespace ptcvm
