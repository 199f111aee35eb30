#include <array>
#include <limits>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "runtime/log/store_rules.h"
#include "tests/store/conformance.h"
#include "tests/store/store_facts.h"
#include "tests/support/sweep.h"

namespace ptc {
namespace {

const std::vector<std::string>& odd_texts() {
  static const std::vector<std::string> all{
      std::string("a\0b", 3), std::string("\0", 1), "a", "A", " ", "%", "_", "'", "x'00'", "--", ";", "NULL", "0", "00",
      "1e3", "\n", "\r\n", "\x01\x1F\x7F", "\xEF\xBB\xBF", "\xF4\x8F\xBF\xBF", "e\xCC\x81", "\xC3\xA9", "\\", "\"",
      "\xEF\xBF\xBD"};
  return all;
}

void keeps_odd_texts_apart(FactStore& store) {
  for (const std::string& text : odd_texts()) EXPECT_TRUE(put_one(store, text, 0, outside_fact("k", text)).mine);
  for (const std::string& text : odd_texts()) {
    EXPECT_TRUE(put_one(store, "all", 0, outside_fact(text, text)).mine);
    EXPECT_EQ(taken(store.find(text, "k"))->value, text);
    EXPECT_EQ(taken(store.info(text))->log, text);
  }
  for (const std::string& text : odd_texts()) {
    const auto fact = taken(store.find("all", text));
    ASSERT_TRUE(fact);
    EXPECT_EQ(fact->value, text);
    EXPECT_EQ(fact->key, text);
  }
  EXPECT_EQ(taken(store.runs("", 100)).size(), odd_texts().size() + 1);
}

void waits_for_odd_keys(FactStore& store) {
  const std::uint64_t token = started(store, "a");
  EXPECT_TRUE(is_parked(store, "a", token, waiting_for(odd_texts(), 1)));
  EXPECT_EQ(taken(store.parked("a"))->wait_keys, odd_texts());
  put_one(store, "a", 0, outside_fact(std::string("a\0c", 3)));
  EXPECT_FALSE(taken(store.info("a"))->woken);
  put_one(store, "a", 0, outside_fact(std::string("a\0b", 3)));
  EXPECT_TRUE(taken(store.info("a"))->woken);
}

void keeps_large_values(FactStore& store) {
  const std::string large(std::size_t{8} << 20, 'x');
  EXPECT_TRUE(put_one(store, "a", 0, outside_fact("k", large)).mine);
  EXPECT_EQ(taken(store.find("a", "k"))->value, large);
  const std::string key(100'000, 'k');
  EXPECT_TRUE(put_one(store, "a", 0, outside_fact(key, "")).mine);
  EXPECT_FALSE(put_one(store, "a", 0, outside_fact(key, "")).mine);
  EXPECT_EQ(taken(store.find("a", key))->value, "");
}

void keeps_large_and_empty_snapshots(FactStore& store) {
  const std::uint64_t token = started(store, "a");
  Parked run = waiting_for({"k"}, 1);
  for (const std::size_t size : {std::size_t{16} << 20, std::size_t{262'143}, std::size_t{262'144}, std::size_t{0}}) {
    run.snapshot.assign(size, 0);
    for (std::size_t i = 0; i < size; ++i) run.snapshot[i] = static_cast<std::uint8_t>(i * 7 >> 3);
    EXPECT_TRUE(is_parked(store, "a", token, run));
    EXPECT_EQ(taken(store.parked("a"))->snapshot == run.snapshot, true);
  }
}

// Hands its bytes out in pieces of odd sizes.
class OddPieces final : public SnapshotPieces {
 public:
  explicit OddPieces(std::vector<std::uint8_t> bytes) : bytes_(std::move(bytes)) {}
  std::size_t size() const override { return bytes_.size(); }
  void write(SnapshotSink& out) const override {
    std::span<const std::uint8_t> rest = bytes_;
    for (std::size_t size = 0; rest.size() > size; size = size * 3 + 1) {
      out.append(rest.first(size));
      rest = rest.subspan(size);
    }
    out.append(rest);
  }
  const std::vector<std::uint8_t>& bytes() const { return bytes_; }

 private:
  std::vector<std::uint8_t> bytes_;
};

void keeps_snapshots_in_pieces(FactStore& store) {
  const std::uint64_t token = started(store, "a");
  for (const std::size_t size : {std::size_t{5} << 20, std::size_t{1} << 20, std::size_t{262'144}, std::size_t{3}}) {
    std::vector<std::uint8_t> bytes(size);
    for (std::size_t i = 0; i < size; ++i) bytes[i] = static_cast<std::uint8_t>(i * 11 >> 3);
    const auto pieces = std::make_shared<OddPieces>(std::move(bytes));
    Parked run = waiting_for({"k"}, 1);
    run.snapshot.clear();
    run.pieces = pieces;
    EXPECT_TRUE(is_parked(store, "a", token, run));
    const auto back = taken(store.parked("a"));
    EXPECT_EQ(back->pieces, nullptr);
    EXPECT_EQ(back->snapshot == pieces->bytes(), true) << size;
  }
}

void keeps_extreme_numbers(FactStore& store) {
  const std::uint64_t token = started(store, "a");
  Fact fact = task_fact("k");
  fact.number = std::numeric_limits<std::uint64_t>::max();
  fact.time_ms = std::numeric_limits<std::int64_t>::min();
  put_one(store, "a", token, fact);
  const auto back = taken(store.find("a", "k"));
  ASSERT_TRUE(back);
  EXPECT_EQ(back->number, fact.number);
  EXPECT_EQ(back->time_ms, fact.time_ms);
  Parked run = waiting_for({}, 2);
  run.deadline_ms = std::numeric_limits<std::int64_t>::max();
  EXPECT_TRUE(is_parked(store, "a", token, run));
  EXPECT_TRUE(taken(store.woken(*run.deadline_ms - 1, 1)).empty());
  EXPECT_EQ(taken(store.woken(*run.deadline_ms, 1)).size(), 1u);
}

void keeps_many_facts(FactStore& store) {
  constexpr int kBatches = 100 / static_cast<int>(kSweepStep), kBatch = 1'000, kAll = kBatches * kBatch;
  const std::uint64_t token = claimed(store, "a");
  for (int batch = 0; batch < kBatches; ++batch) {
    std::vector<Fact> facts;
    for (int i = 0; i < kBatch; ++i) facts.push_back(task_fact("task/" + std::to_string(batch * kBatch + i) + "#0"));
    ASSERT_EQ(taken(store.put("a", Cut::blind(token), facts)).puts.size(), facts.size());
  }
  EXPECT_EQ(head_of(store, "a"), static_cast<std::uint64_t>(kAll));
  EXPECT_EQ(taken(store.find("a", "task/7777#0"))->seq, 7'778u);
  EXPECT_FALSE(taken(store.find("a", "task/" + std::to_string(kAll) + "#0")));
  EXPECT_FALSE(put_one(store, "a", token, task_fact("task/0#0")).mine);
  const auto page = taken(store.read("a", kAll - 2, 10));
  ASSERT_EQ(page.size(), 2u);
  EXPECT_EQ(page[1].key, "task/" + std::to_string(kAll - 1) + "#0");
  EXPECT_FALSE(decide_one(store, "a", {token, 0}, step_fact()).conflict);
}

// Reads three facts of every kind, in pages: what is left out can be looked up by its key.
void reads_notable_facts_in_their_order(FactStore& store) {
  const std::uint64_t token = claimed(store, "a");
  std::vector<Fact> wanted;
  for (int round = 0; round < 3; ++round) {
    for (std::size_t k = 0; k < kFacts.size(); ++k) {
      const auto kind = static_cast<FactKind>(k);
      const Fact fact = fact_of(kind, std::string(fact_name(kind)) + std::to_string(round));
      if (fact_class(kind) == FactClass::Decision) {
        ASSERT_FALSE(decide_one(store, "a", {token, head_of(store, "a")}, fact).conflict);
      } else {
        ASSERT_TRUE(put_one(store, "a", token, fact).mine);
      }
      const Fact held = *taken(store.find("a", fact.key));
      if (is_notable(kind)) wanted.push_back(held);
    }
  }
  ASSERT_LT(wanted.size(), head_of(store, "a"));
  for (const std::size_t most : {std::size_t{1}, std::size_t{4}, std::size_t{1'000}}) {
    std::vector<Fact> read;
    for (std::size_t count = most; count == most;) {
      const auto page = taken(store.read_notable("a", read.empty() ? 0 : read.back().seq, most));
      count = page.size();
      read.insert(read.end(), page.begin(), page.end());
    }
    EXPECT_EQ(read, wanted) << most;
  }
  EXPECT_TRUE(taken(store.read_notable("b", 0, 9)).empty());
}

void refuses_empty_ids(FactStore& store) {
  const Fact fact = outside_fact("k");
  EXPECT_EQ(error_of(store.put("", Cut::blind(), {&fact, 1})), "store_misuse");
  EXPECT_EQ(error_of(store.decide("", {1, 0}, {})), "store_misuse");
  EXPECT_EQ(error_of(store.read("", 0, 1)), "store_misuse");
  EXPECT_EQ(error_of(store.find("", "k")), "store_misuse");
  EXPECT_EQ(error_of(store.parked("")), "store_misuse");
  EXPECT_EQ(error_of(store.info("")), "store_misuse");
  EXPECT_EQ(error_of(store.claim("", "o", 0, 1)), "store_misuse");
  EXPECT_EQ(error_of(store.claim("a", "", 0, 1)), "store_misuse");
  EXPECT_EQ(error_of(store.claim("a", "o", 0, -1)), "store_misuse");
}

void refuses_what_is_no_text(FactStore& store) {
  const Fact bad = outside_fact("k", "\xFF");
  EXPECT_EQ(error_of(store.put("a", Cut::blind(), {&bad, 1})), "store_misuse");
  const Fact good = outside_fact("k");
  EXPECT_EQ(error_of(store.put("\xC3", Cut::blind(), {&good, 1})), "store_misuse");
  const std::vector<Fact> both{good, bad};
  EXPECT_EQ(error_of(store.put("a", Cut::blind(), both)), "store_misuse");
  EXPECT_FALSE(taken(store.info("a"))) << "nothing is written";
  EXPECT_EQ(error_of(store.claim("a", "\xFF", 0, 1)), "store_misuse");
}

void refuses_what_the_class_forbids(FactStore& store) {
  const std::uint64_t token = started(store, "a");
  const Fact decision = step_fact(), effect = task_fact("t"), observation = outside_fact("o");
  EXPECT_EQ(error_of(store.put("a", Cut::blind(token), {&decision, 1})), "store_misuse");
  EXPECT_EQ(error_of(store.put("a", Cut::blind(), {&effect, 1})), "store_misuse");
  EXPECT_EQ(error_of(store.decide("a", {0, 1}, {&decision, 1})), "store_misuse");
  EXPECT_EQ(error_of(store.decide("a", {token, 1}, {&effect, 1})), "store_misuse");
  EXPECT_EQ(error_of(store.decide("a", {token, 1}, {&observation, 1})), "store_misuse");
  EXPECT_EQ(error_of(store.resumed("a", Cut::blind(), {})), "store_misuse");
  EXPECT_EQ(error_of(store.ended("a", Cut::blind(), {})), "store_misuse");
  EXPECT_EQ(error_of(store.ended("a", Cut::blind(token), {&decision, 1})), "store_misuse");
  Fact unknown = outside_fact("u");
  unknown.kind = static_cast<FactKind>(kFacts.size());
  EXPECT_EQ(error_of(store.put("a", Cut::blind(token), {&unknown, 1})), "store_misuse");
  EXPECT_EQ(head_of(store, "a"), 1u);
}

void refuses_what_was_not_there_to_be_seen(FactStore& store) {
  const std::uint64_t token = started(store, "a");
  const Fact decision = step_fact();
  EXPECT_EQ(error_of(store.decide("a", {token, 2}, {&decision, 1})), "store_misuse");
  EXPECT_EQ(error_of(store.park("a", {token, 1}, {}, waiting_for({"k"}, 2))), "store_misuse");
  EXPECT_EQ(error_of(store.park("a", {token, 2}, {}, waiting_for({"k"}, 1))), "store_misuse");
}

void refuses_senseless_decisions_and_parks(FactStore& store) {
  const std::uint64_t token = started(store, "a");
  const std::vector<Fact> twice{step_fact("d"), step_fact("d")};
  EXPECT_EQ(error_of(store.decide("a", {token, 1}, twice)), "store_misuse");
  EXPECT_EQ(error_of(store.park("a", {token, 1}, {}, waiting_for({""}, 1))), "store_misuse");
  Parked run = waiting_for({"k"}, 1);
  run.continuation = "";
  EXPECT_EQ(error_of(store.park("a", {token, 1}, {}, run)), "store_misuse");
  const Fact own = step_fact("k");
  EXPECT_EQ(error_of(store.park("a", {token, 1}, {&own, 1}, waiting_for({"k"}, 1))), "store_misuse");
  EXPECT_EQ(head_of(store, "a"), 1u);
}

constexpr auto kValueCases = std::to_array<StoreCase>({
    {"KeepsOddTextsApart", keeps_odd_texts_apart},
    {"WaitsForOddKeys", waits_for_odd_keys},
    {"KeepsLargeValues", keeps_large_values},
    {"KeepsLargeAndEmptySnapshots", keeps_large_and_empty_snapshots},
    {"KeepsSnapshotsInPieces", keeps_snapshots_in_pieces},
    {"KeepsExtremeNumbers", keeps_extreme_numbers},
    {"KeepsManyFacts", keeps_many_facts},
    {"ReadsNotableFactsInTheirOrder", reads_notable_facts_in_their_order},
    {"RefusesEmptyIds", refuses_empty_ids},
    {"RefusesWhatIsNoText", refuses_what_is_no_text},
    {"RefusesWhatTheClassForbids", refuses_what_the_class_forbids},
    {"RefusesWhatWasNotThereToBeSeen", refuses_what_was_not_there_to_be_seen},
    {"RefusesSenselessDecisionsAndParks", refuses_senseless_decisions_and_parks},
});

}  // namespace

std::span<const StoreCase> store_value_cases() { return kValueCases; }

}  // namespace ptc
