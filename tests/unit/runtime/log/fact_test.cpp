#include "runtime/log/fact.h"
#include "runtime/log/fact_json.h"

#include <gtest/gtest.h>

#include "fact_generated.h"
#include "runtime/log/fact_store.h"

namespace ptc {
namespace {

Fact full() {
  Fact fact;
  fact.kind = FactKind::EffectSettled;
  fact.author = FactAuthor::Person;
  fact.time_ms = -1'767'225'600'000;
  fact.writer = 0xFFFF'FFFF'FFFF'FFFF;
  fact.key = "effect/k#1";
  fact.source = "Ada";
  fact.id = "pay \"now\"";
  fact.value = std::string("{:a \"\0ß\U0001F600\"}", 14);
  fact.text = "line\nbreak";
  fact.status = "in_doubt";
  fact.tool = "charge";
  fact.args = "{:cents 5}";
  fact.effect = "unsafe";
  fact.idempotency_key = "abc";
  fact.task = "t";
  fact.number = 7;
  fact.errors = "no such card";
  return fact;
}

// Bytes that are a valid buffer of the schema, whatever they say.
std::vector<std::uint8_t> foreign(const schema::FactT& fact) {
  flatbuffers::FlatBufferBuilder builder;
  schema::FinishFactBuffer(builder, schema::CreateFact(builder, &fact));
  return {builder.GetBufferPointer(), builder.GetBufferPointer() + builder.GetSize()};
}

TEST(FactBytes, ComeBackWhole) {
  EXPECT_EQ(read_fact(fact_bytes(full())), full());
  EXPECT_EQ(read_fact(fact_bytes(Fact{})), Fact{});
  for (std::size_t kind = 0; kind < kFacts.size(); ++kind) {
    Fact fact;
    fact.kind = static_cast<FactKind>(kind);
    EXPECT_EQ(read_fact(fact_bytes(fact)), fact) << kFacts[kind].name;
  }
}

TEST(FactBytes, HoldEachMember) {
  constexpr std::string Fact::* kTexts[] = {&Fact::key,  &Fact::source, &Fact::id,     &Fact::value,
                                            &Fact::text, &Fact::status, &Fact::tool,   &Fact::args,
                                            &Fact::task, &Fact::effect, &Fact::idempotency_key, &Fact::errors};
  for (const auto member : kTexts) {
    Fact fact;
    fact.*member = "x";
    EXPECT_EQ(read_fact(fact_bytes(fact)), fact);
    EXPECT_NE(fact_bytes(fact), fact_bytes(Fact{}));
    fact.*member = "\xC3";
    EXPECT_FALSE(is_storable(fact));
    EXPECT_FALSE(read_fact(fact_bytes(fact)));
  }
  for (const auto member : {&Fact::writer, &Fact::number}) {
    Fact fact;
    fact.*member = 3;
    EXPECT_EQ(read_fact(fact_bytes(fact)), fact);
  }
}

TEST(FactBytes, AreWithoutThePlaceInTheLog) {
  Fact placed = full();
  placed.seq = 9;
  EXPECT_EQ(fact_bytes(placed), fact_bytes(full()));
}

TEST(FactBytes, CanLieAnywhere) {
  const auto bytes = fact_bytes(full());
  for (std::size_t shift = 0; shift < 8; ++shift) {
    std::vector<std::uint8_t> moved(shift);
    moved.insert(moved.end(), bytes.begin(), bytes.end());
    EXPECT_EQ(read_fact(std::span(moved).subspan(shift)), full());
  }
}

TEST(FactBytes, CutOffAnywhereAreRefused) {
  const auto bytes = fact_bytes(full());
  for (std::size_t size = 0; size < bytes.size(); ++size) EXPECT_FALSE(read_fact({bytes.data(), size})) << size;
  auto longer = bytes;
  longer.resize(longer.size() + 8);
  EXPECT_FALSE(read_fact(longer));
}

TEST(FactBytes, WithOneBitTurnedAreRefusedOrAnotherFact) {
  const auto bytes = fact_bytes(full());
  for (std::size_t bit = 0; bit < bytes.size() * 8; ++bit) {
    auto turned = bytes;
    turned[bit / 8] ^= static_cast<std::uint8_t>(1u << (bit % 8));
    const auto fact = read_fact(turned);
    if (fact) {
      EXPECT_NE(*fact, full()) << bit;
      EXPECT_EQ(fact_bytes(*fact), turned) << bit;
    }
  }
}

TEST(FactBytes, OfAnUnknownFormatKindOrAuthorAreRefused) {
  schema::FactT fact;
  EXPECT_TRUE(read_fact(foreign(fact)));
  fact.format = 2;
  EXPECT_FALSE(read_fact(foreign(fact)));
  fact = {};
  fact.kind = static_cast<std::uint16_t>(kFacts.size());
  EXPECT_FALSE(read_fact(foreign(fact)));
  fact = {};
  fact.author = static_cast<schema::Author>(4);
  EXPECT_FALSE(read_fact(foreign(fact)));
}

TEST(FactJson, SaysWhatIsThere) {
  EXPECT_EQ(fact_json(Fact{}), R"({"kind":"run_started","author":"program","time_ms":0})");
  Fact fact = full();
  fact.seq = 4;
  fact.writer = 2;
  fact.value = "[1]";
  EXPECT_EQ(fact_json(fact),
            R"({"seq":4,"kind":"effect_settled","author":"person","source":"Ada","time_ms":-1767225600000,"writer":2,)"
            R"("key":"effect/k#1","id":"pay \"now\"","value":"[1]","text":"line\nbreak","status":"in_doubt",)"
            R"("tool":"charge","args":"{:cents 5}","effect":"unsafe","idempotency_key":"abc","task":"t",)"
            R"("errors":"no such card","number":7})");
}

TEST(StoreNames, AreStable) {
  EXPECT_EQ(store_error_name(StoreError::Kind::Unknown), "store_unknown");
  EXPECT_EQ(store_error_name(StoreError::Kind::Misuse), "store_misuse");
  EXPECT_EQ(log_state_name(LogState::Parked), "parked");
  EXPECT_EQ(fact_author_name(FactAuthor::Outside), "outside");
}

TEST(FactJson, ComesBackAsItWas) {
  Fact fact;
  fact.seq = 12;
  fact.kind = FactKind::Intent;
  fact.author = FactAuthor::Person;
  fact.time_ms = -5;
  fact.writer = UINT64_MAX;
  fact.number = 3;
  fact.key = "a\"b\n";
  fact.source = "\u00e9";
  fact.id = "i";
  fact.value = "{:a 1}";
  fact.text = "t";
  fact.status = "s";
  fact.tool = "to";
  fact.args = "ar";
  fact.effect = "e";
  fact.idempotency_key = "k";
  fact.task = "ta";
  std::string why;
  const auto read = read_fact_json(fact_json(fact), why);
  ASSERT_TRUE(read) << why;
  EXPECT_EQ(*read, fact);
}

TEST(FactJson, OtherLinesAreRefused) {
  for (const char* line : {"", "[", "1", "{}", R"({"kind":"intent"})", R"({"kind":"nothing","author":"host"})",
                           R"({"kind":"intent","author":"nobody"})", R"({"kind":1,"author":"host"})",
                           R"({"kind":"intent","author":"host","seq":-1})",
                           R"({"kind":"intent","author":"host","seq":1.5})",
                           R"({"kind":"intent","author":"host","color":"red"})",
                           R"({"kind":"intent","author":"host","key":null})"}) {
    std::string why;
    EXPECT_FALSE(read_fact_json(line, why)) << line;
    EXPECT_FALSE(why.empty()) << line;
  }
}

}  // namespace
}  // namespace ptc
