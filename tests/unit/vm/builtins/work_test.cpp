// Work and memory of builtins whose arguments are much larger than their number of elements says.
#include "tests/unit/vm/builtins/builtin_test.h"
#include "vm/value/account.h"

namespace ptc {
namespace {

using B = BuiltinId;

class WorkTest : public BuiltinTest {
 protected:
  // The fuel of one call, of the builtin and of the walks that it makes.
  std::uint64_t fuel_of(B id, std::initializer_list<Arg> arguments) {
    const AccountScope scope(heap, nullptr);
    std::vector<Value> values;
    for (const Arg& argument : arguments) values.push_back(argument.make(heap));
    heap.take_work();
    env.fuel_debt = 0;
    Call call(env, id, values);
    heap.release(plain_builtin(id)(call));
    for (const Value v : values) heap.release(v);
    return env.fuel_debt + heap.take_work();
  }
  static std::string name_with_dash(std::size_t size_bytes) { return "a-" + std::string(size_bytes, 'b'); }
};

constexpr std::size_t kMegabyte = 1 << 20;

TEST_F(WorkTest, BlanksArePaidForByTheByte) {
  const std::string blanks(kMegabyte, ' ');
  EXPECT_GE(fuel_of(B::dot_trim, {blanks}), kMegabyte / 32);
  EXPECT_GE(fuel_of(B::trim, {blanks}), kMegabyte / 32);
  EXPECT_LT(fuel_of(B::dot_trim, {" a "}), 4u);
}

TEST_F(WorkTest, OtherSpellingsOfALongKeyArePaidFor) {
  const Arg entries = map({{keyword("a"), 1}});
  EXPECT_GE(fuel_of(B::get, {entries, name_with_dash(kMegabyte)}), kMegabyte / 128);
  EXPECT_GE(fuel_of(B::contains_p, {entries, name_with_dash(kMegabyte)}), kMegabyte / 128);
  EXPECT_LT(fuel_of(B::get, {entries, "a-b"}), 2u);
}

TEST_F(WorkTest, AnIdOfMegabytesIsPaidFor) {
  EXPECT_GE(fuel_of(B::task_reset, {std::string(kMegabyte, 'x')}), kMegabyte / 128);
  EXPECT_GE(fuel_of(B::step_done, {std::string(kMegabyte, 'x'), "done"}), kMegabyte / 128);
}

TEST_F(WorkTest, ANestEndsAtTheMemoryLimit) {
  const Value path = vector_range(heap, 0, 1, 10'000'000);
  heap.set_limit_bytes(1 << 20);
  Value arguments[] = {Value::nil(), path, Value::integer(1)};
  arguments[0] = map_empty(heap);
  Call call(env, B::assoc_in, arguments);
  EXPECT_TRUE(plain_builtin(B::assoc_in)(call).is_absent());
  EXPECT_EQ(env.fault.kind, FaultKind::MemoryExceeded);
  EXPECT_LT(heap.bytes_peak(), 2u << 20);
  for (const Value v : arguments) heap.release(v);
}

TEST_F(WorkTest, ABuiltinThatRunsOutOfMemoryGivesEverythingBack) {
  Value arguments[] = {string_of(heap, std::string(200'000, 'x'))};
  heap.set_limit_bytes(heap.bytes_used() + 100'000);
  Call call(env, B::vec, arguments);
  EXPECT_TRUE(plain_builtin(B::vec)(call).is_absent());
  EXPECT_EQ(env.fault.kind, FaultKind::MemoryExceeded);
  EXPECT_LT(heap.bytes_peak(), heap.limit_bytes() + 64 * 1024);
  heap.release(arguments[0]);   // nothing else is left: BuiltinTest looks
}

}  // namespace
}  // namespace ptc
