// Bytecode: every instruction of some programs, changed in every small way. The verifier refuses it, or it is harmless.
#include <memory>

#include "hostile/hostile_fixture.h"
#include "program_generated.h"
#include "schema/opcode.h"
#include "vm/exec/program.h"

namespace ptc::test {
namespace {

using Code = HostileSnapshot;

using Change = std::function<void(Instruction&)>;

Octets with_instruction(const Octets& whole, std::size_t function, std::size_t index, const Change& change) {
  std::unique_ptr<schema::SnapshotT> snapshot(schema::GetSnapshot(whole.data())->UnPack());
  Octets& bytes = snapshot->programs[0]->bytes;
  std::unique_ptr<schema::ProgramT> program(schema::GetProgram(bytes.data())->UnPack());
  std::uint64_t& word = program->functions[function]->code[index];
  Instruction instruction = decode(word);
  change(instruction);
  word = encode(instruction);
  bytes = program_bytes(*program);
  flatbuffers::FlatBufferBuilder outer;
  schema::FinishSnapshotBuffer(outer, schema::Snapshot::Pack(outer, snapshot.get()));
  return {outer.GetBufferPointer(), outer.GetBufferPointer() + outer.GetSize()};
}

std::vector<std::size_t> code_sizes(const Octets& whole) {
  std::vector<std::size_t> sizes;
  const auto& bytes = *schema::GetSnapshot(whole.data())->programs()->Get(0)->bytes();
  for (const auto* function : *schema::GetProgram(bytes.data())->functions()) sizes.push_back(function->code()->size());
  return sizes;
}

std::vector<Change> changes() {
  std::vector<Change> all;
  for (std::size_t op = 0; op < kOpCount; ++op) {
    all.push_back([op](Instruction& i) { i.op = static_cast<Op>(op); });
  }
  for (std::uint8_t flags = 0; flags < 8; ++flags) all.push_back([flags](Instruction& i) { i.flags = flags; });
  constexpr std::uint16_t kNumbers[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 100, 0x7fff, 0x8000, 0xffff};
  for (const std::uint16_t number : kNumbers) {
    all.push_back([number](Instruction& i) { i.a = number; });
    all.push_back([number](Instruction& i) { i.b = number; });
    all.push_back([number](Instruction& i) { i.c = number; });
  }
  return all;
}

class EveryInstruction : public Code, public testing::WithParamInterface<const char*> {};

TEST_P(EveryInstruction, IsRefusedOrHarmless) {
  const Octets whole = interrupted(GetParam(), 4);
  const std::vector<std::size_t> sizes = code_sizes(whole);
  const std::vector<Change> all = changes();
  for (std::size_t function = 0; function < sizes.size(); ++function) {
    for (std::size_t index = 0; index < sizes[function]; ++index) {
      for (std::size_t k = 0; k < all.size(); ++k) {
        expect_harmless(with_instruction(whole, function, index, all[k]));
        ASSERT_FALSE(HasFailure()) << "function " << function << ", pc " << index << ", change " << k;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Programs, EveryInstruction, testing::Values(
    "(defn f [x] (+ x x)) (loop [i 0 m {}] (if (< i 9) (recur (inc i) (assoc m i (f i))) m))",
    "(let [v [1 2 3] {:keys [a] :or {a 5}} {} s (str v a)] (reduce (fn [x y] (conj x y [s])) [] (range 5)))",
    "(for [x [1 2] y [3 4] :when (odd? (+ x y))] (task (str x) (let [g (fn [z] (* z y))] (get {:k (g x)} :k))))"));

// Both operands of a product are one register: only the last reading may take the value, or it is given back twice.
TEST_F(Code, AValueIsTakenOnce) {
  const Octets whole = interrupted("(defn f [x] (* x x)) (loop [i 0] (if (< i 30) (do (f i) (recur (inc i)))))", 4);
  std::size_t found = 0;
  const std::vector<std::size_t> sizes = code_sizes(whole);
  for (std::size_t function = 0; function < sizes.size(); ++function) {
    for (std::size_t index = 0; index < sizes[function]; ++index) {
      bool is_product = false;
      const Octets taken = with_instruction(whole, function, index, [&](Instruction& i) {
        is_product = i.op == Op::Mul && i.b == i.c;
        i.flags = kTakeB | kTakeC;
      });
      if (!is_product) continue;
      ++found;
      EXPECT_EQ(refusal(taken), "snapshot_bad_program: program: takes a register before it reads it again");
    }
  }
  EXPECT_EQ(found, 1u);
}

TEST_F(Code, TextsAreUtf8) {
  const Octets whole = suspended("(do (def name 1) (await (tool/ask {:text \"four\"})))");
  const auto with = [&](auto change) {
    return changed(whole, [&](auto& snapshot) {
      const std::unique_ptr<schema::ProgramT> program(
          schema::GetProgram(snapshot.programs[0]->bytes.data())->UnPack());
      change(*program);
      snapshot.programs[0]->bytes = program_bytes(*program);
    });
  };
  const std::string wrong = "a\xff";
  const Octets cases[] = {with([&](auto& p) { p.source = wrong; }), with([&](auto& p) { p.source_name = wrong; }),
                          with([&](auto& p) { p.globals[0] = wrong; }), with([&](auto& p) { p.tools[0] = wrong; }),
                          with([&](auto& p) { p.constants.back()->text = wrong; }),
                          with([&](auto& p) { p.functions[0]->printed = wrong; })};
  for (const Octets& bytes : cases) {
    EXPECT_EQ(refusal(bytes), "snapshot_bad_program: program: text that is not UTF-8");
  }
}

}  // namespace
}  // namespace ptc::test
