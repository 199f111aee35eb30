// The bytes of facts in the column of the PostgreSQL store.
#include "runtime/log/postgres/compact_fact.h"

#include <gtest/gtest.h>

#include <limits>
#include <random>

namespace ptc {
namespace {

Fact full_fact() {
  Fact out;
  out.kind = FactKind::EffectSettled;
  out.author = FactAuthor::Person;
  out.time_ms = 1'767'225'600'000;
  out.writer = 300;
  out.number = 7;
  out.source = "who";
  out.key = "effect/r/task:a#0#7";
  out.id = "op1";
  out.value = "{:a 1}";
  out.text = std::string(200, 'x');
  out.status = "committed";
  out.tool = "pay";
  out.args = "{\"n\" 1}";
  out.effect = "unsafe";
  out.idempotency_key = "r/task:a#0";
  out.task = "a";
  out.errors = "it wrote";
  return out;
}

void expect_kept(const Fact& fact) {
  const std::string stored = compact_fact(fact, fact.writer);
  const auto read = read_compact(stored);
  ASSERT_TRUE(read);
  EXPECT_EQ(*read, fact);
  EXPECT_EQ(sealed_bytes(stored), fact_bytes(fact)) << "seals are about the same bytes as in every store";
  EXPECT_EQ(read_stored(stored), fact);
}

TEST(CompactFact, KeepsEveryMember) { expect_kept(full_fact()); }

TEST(CompactFact, KeepsWhatIsEmptyOrExtreme) {
  expect_kept(Fact());
  Fact fact;
  fact.time_ms = std::numeric_limits<std::int64_t>::min();
  fact.writer = fact.number = std::numeric_limits<std::uint64_t>::max();
  expect_kept(fact);
  fact.time_ms = std::numeric_limits<std::int64_t>::max();
  fact.value = std::string("a\0b", 3);
  expect_kept(fact);
}

TEST(CompactFact, IsSmall) {
  const Fact fact = full_fact();
  std::size_t texts = 0;
  for (const std::string* text : {&fact.key, &fact.source, &fact.id, &fact.value, &fact.text, &fact.status, &fact.tool,
                                  &fact.args, &fact.effect, &fact.idempotency_key, &fact.task, &fact.errors}) {
    texts += text->size();
  }
  EXPECT_LE(compact_fact(fact, fact.writer).size(), texts + 30);
  EXPECT_GT(fact_bytes(fact).size(), texts + 100);
}

// Bytes of before, and of other writers.
TEST(CompactFact, OtherBytesAreReadAsBefore) {
  const Fact fact = full_fact();
  const std::vector<std::uint8_t> bytes = fact_bytes(fact);
  const std::string stored(bytes.begin(), bytes.end());
  EXPECT_FALSE(is_compact(stored));
  EXPECT_EQ(read_stored(stored), fact);
  EXPECT_EQ(sealed_bytes(stored), bytes);
  EXPECT_FALSE(read_stored(""));
  EXPECT_FALSE(read_stored("{}"));
}

TEST(CompactFact, IsReadWhenItWasWrittenSoOnly) {
  const Fact fact = full_fact();
  const std::string stored = compact_fact(fact, fact.writer);
  for (std::size_t size = 0; size < stored.size(); ++size) {
    EXPECT_FALSE(read_compact(stored.substr(0, size))) << size;
  }
  EXPECT_FALSE(read_compact(stored + 'x')) << "more bytes";
  std::mt19937 random(7);
  for (int i = 0; i < 20'000; ++i) {
    std::string changed = stored;
    for (unsigned n = 0; n < 1 + random() % 3; ++n) changed[random() % changed.size()] = static_cast<char>(random());
    if (const auto read = read_compact(changed)) {
      EXPECT_EQ(compact_fact(*read, read->writer), changed) << "one fact, one form";
    }
  }
}

}   // namespace
}   // namespace ptc
