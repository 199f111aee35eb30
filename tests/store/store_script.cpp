#include "tests/store/store_script.h"

#include <algorithm>

#include "tests/store/store_facts.h"

namespace ptc {
namespace {

constexpr char kLog[] = "a";

bool is_there(const std::vector<Fact>& facts, const std::string& key) {
  return std::ranges::any_of(facts, [&](const Fact& fact) { return fact.key == key; });
}

// Text that no store packs into one page.
std::string unpackable(std::size_t size) {
  std::string out;
  std::uint64_t state = 1;
  while (out.size() < size) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    out += static_cast<char>(' ' + (state >> 57) % 95);
  }
  return out;
}

}  // namespace

std::uint64_t StoreScript::prepare(FactStore& store) {
  const std::uint64_t token = claimed(store, kLog);
  Fact start = start_fact();
  start.key = "start";
  put_one(store, kLog, token, start);
  return token;
}

template <class T>
void StoreScript::note(const std::vector<Fact>& facts, const StoreResult<T>& result) {
  const auto* error = std::get_if<StoreError>(&result);
  Fate fate = flushes_ ? Fate::Soft : Fate::Yes;
  if (error != nullptr) fate = error->kind == StoreError::Kind::Unknown ? Fate::Unknown : Fate::No;
  for (const Fact& fact : facts) {
    fates_[fact.key] = fate;
    order_.push_back(fact.key);
  }
}

void StoreScript::put(FactStore& store, std::uint64_t token, std::vector<Fact> facts) {
  note(facts, store.put(kLog, Cut::blind(token), facts));
}

void StoreScript::park(FactStore& store, const std::string& name, std::size_t snapshot_bytes) {
  const auto info = store.info(kLog);
  const auto* known = std::get_if<std::optional<RunInfo>>(&info);
  if (known == nullptr || !*known) return;
  Parked run = waiting_for({"answer " + name}, (*known)->head);
  run.continuation = name;
  run.snapshot.assign(snapshot_bytes, 7);
  const std::vector<Fact> facts{fact_of(FactKind::RunSuspended, "park " + name)};
  note(facts, store.park(kLog, {token_, run.observed_seq}, facts, run));
}

void StoreScript::flush(FactStore& store) {
  const bool good = std::holds_alternative<std::monostate>(store.flush());
  for (auto& [key, fate] : fates_) {
    if (fate == Fate::Soft) fate = good ? Fate::Yes : Fate::Unknown;
  }
}

void StoreScript::run(FactStore& store, bool flushes) {
  flushes_ = flushes;
  for (std::size_t i = 0; i < 3; ++i) {
    put(store, token_, {task_fact("t" + std::to_string(i), std::string(300 * i, 'x'))});
  }
  put(store, token_, {task_fact("m0"), task_fact("m1"), outside_fact("m2")});
  flush(store);
  park(store, "c1", 100);
  put(store, 0, {outside_fact("answer c1")});
  const std::vector<Fact> resumed{fact_of(FactKind::RunResumed, "resume c1")};
  note(resumed, store.resumed(kLog, Cut::blind(token_), resumed));
  flush(store);
  put(store, token_, {task_fact("packed", std::string(20'000, 'y')), task_fact("large", unpackable(20'000))});
  park(store, "c2", 15'000);
  put(store, 0, {outside_fact("answer c2")});
  flush(store);
  for (auto& [key, fate] : fates_) {
    if (fate == Fate::Soft) fate = Fate::Unknown;
  }
}

void StoreScript::check(FactStore& store) const {
  const auto facts = taken(store.read(kLog, 0, 1'000));
  const auto info = taken(store.info(kLog));
  ASSERT_TRUE(info);
  EXPECT_EQ(info->head, facts.size());
  for (std::size_t i = 0; i < facts.size(); ++i) EXPECT_EQ(facts[i].seq, i + 1);
  for (const auto& [key, fate] : fates_) {
    EXPECT_EQ(taken(store.find(kLog, key)).has_value(), is_there(facts, key)) << key;
    EXPECT_TRUE(fate != Fate::Yes || is_there(facts, key)) << key << " was written";
    EXPECT_TRUE(fate != Fate::No || !is_there(facts, key)) << key << " was refused";
  }
  EXPECT_EQ(is_there(facts, "m0"), is_there(facts, "m1"));
  EXPECT_EQ(is_there(facts, "m0"), is_there(facts, "m2"));

  const bool first = is_there(facts, "park c1"), second = is_there(facts, "park c2");
  const bool resumed = is_there(facts, "resume c1");
  const auto parked = taken(store.parked(kLog));
  ASSERT_EQ(parked.has_value(), first || second);
  if (parked) {
    EXPECT_EQ(parked->continuation, second ? "c2" : "c1");
    EXPECT_EQ(parked->snapshot.size(), second ? 15'000u : 100u);
  }
  const bool waits = second || (first && !resumed);
  EXPECT_EQ(info->state, waits ? LogState::Parked : LogState::Running);
  EXPECT_EQ(info->woken, waits && is_there(facts, second ? "answer c2" : "answer c1"));
  EXPECT_EQ(taken(store.woken(kStoreNow, 9)).size(), info->woken ? 1u : 0u);

  EXPECT_TRUE(put_one(store, kLog, 0, outside_fact("afterwards")).mine);
  EXPECT_EQ(head_of(store, kLog), facts.size() + 1);
}

void StoreScript::check_beginning(FactStore& store) const {
  const auto read = store.read(kLog, 0, 1'000);
  const auto* facts = std::get_if<std::vector<Fact>>(&read);
  if (facts == nullptr || facts->empty()) return;
  EXPECT_EQ(facts->front().key, "start");
  for (std::size_t i = 1; i < facts->size(); ++i) {
    ASSERT_LE(i, order_.size());
    EXPECT_EQ((*facts)[i].key, order_[i - 1]);
  }
  // A claim finds out that an index lacks the end of the log.
  const bool is_refused = error_of(store.claim(kLog, "next", kStoreNow, 1)) == "store_corrupt";
  for (const Fact& fact : *facts) {
    const auto found = store.find(kLog, fact.key);
    const auto* good = std::get_if<std::optional<Fact>>(&found);
    EXPECT_TRUE(good == nullptr || *good == fact || (!*good && is_refused)) << fact.key;
  }
}

}  // namespace ptc
