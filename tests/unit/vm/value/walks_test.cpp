#include "vm/value/walks.h"

#include "value_model.h"
#include "vm/value/map.h"
#include "vm/value/weight.h"

namespace ptc {
namespace {

class Counting final : public Patience {
 public:
  Counting() : Patience(64) {}
  bool is_over() override {
    ++questions;
    return questions > most;
  }
  int questions = 0;
  int most = 1'000'000;
};

class WalksTest : public ValueTest {
 protected:
  // One grapheme cluster of so many bytes.
  static std::string cluster(std::size_t size_bytes) {
    std::string text = "e";
    while (text.size() < size_bytes) text += "\u0301";
    return text;
  }
  Counting host;
};

TEST_F(WalksTest, ALargeClusterIsPaidForByItsBytes) {
  const AccountScope scope(heap, &host);
  const InterruptibleScope interruptible;
  const std::string text = cluster(1 << 20);
  EXPECT_EQ(grapheme_length(text), text.size());
  EXPECT_GE(heap.take_work(), text.size() / 16);
  EXPECT_GT(host.questions, 0);
}

TEST_F(WalksTest, ALargeClusterIsInterrupted) {
  host.most = 10;
  const AccountScope scope(heap, &host);
  EXPECT_EQ(account::within([] { grapheme_length(cluster(1 << 20)); }), account::Ending::Stopped);
}

TEST_F(WalksTest, ClustersAndBlocksGiveTheWholeText) {
  const std::string text = "a\r\ne\u0301" + std::string(200'000, 'x') + "\u00e9";
  std::string clusters, blocks;
  int count = 0;
  for (const std::string_view cluster : Clusters(text)) {
    clusters += cluster;
    ++count;
  }
  for (const std::string_view block : TextBlocks(text)) {
    EXPECT_TRUE(utf8_is_valid(block));
    blocks += block;
  }
  EXPECT_EQ(clusters, text);
  EXPECT_EQ(blocks, text);
  EXPECT_EQ(count, 3 + 200'000 + 1);
}

TEST_F(WalksTest, AWalkChargesAsksAndLooksAtTheMemory) {
  {
    const AccountScope scope(heap, &host);
    const InterruptibleScope interruptible;
    std::uint64_t sum = 0;
    for (const std::uint32_t i : Walk(heap, 6'400)) sum += i;
    EXPECT_EQ(sum, 6'400u * 6'399u / 2);
    EXPECT_EQ(heap.take_work(), 6'400u / kPartsPerUnit);
    EXPECT_GE(host.questions, 90);
  }
  const Value large = string_of(heap, std::string(100'000, 'x'));
  heap.set_limit_bytes(50'000);
  EXPECT_EQ(account::within([&] {
              for ([[maybe_unused]] const std::uint32_t i : Walk(heap, 6'400)) continue;
            }),
            account::Ending::NoMemory);
  release(large);
}

TEST_F(WalksTest, AQuestionThatIsDueIsAskedWhereTheCodeMayBeLeft) {
  host.most = 0;
  const AccountScope scope(heap, &host);
  charge_parts(100'000);   // inside of a change
  EXPECT_EQ(host.questions, 0);
  EXPECT_EQ(account::within([] { work_done(1); }), account::Ending::Stopped);
}

TEST_F(WalksTest, WrittenBytesCountTextsAndElements) {
  const Value text = string_of(heap, std::string(10'000, 'x'));
  const Value four[] = {retained(text), retained(text), retained(text), retained(text)};
  const Value shared = vector_of(heap, four);
  const Value many = vector_range(heap, 0, 1, 1'000'000);
  EXPECT_GE(written_bytes(heap, text), 10'000u);
  EXPECT_GE(written_bytes(heap, shared), 40'000u);
  EXPECT_GE(written_bytes(heap, many), 2'000'000u);
  EXPECT_LT(written_bytes(heap, Value::integer(1)), 100u);
  for (const Value v : {text, shared, many}) release(v);
}

}  // namespace
}  // namespace ptc
