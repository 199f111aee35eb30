// Bytecode: every instruction of some programs, changed in every small way. The verifier refuses it, or it is harmless.
#include <memory>

#include "hostile/hostile_fixture.h"
#include "program_generated.h"
#include "schema/opcode.h"
#include "vm/exec/program.h"

namespace ptc::test {
namespace {

using CodeChange = std::function<void(Instruction&)>;

class Code : public HostileSnapshot {
 protected:
  static Octets with_program(const Octets& whole, const std::function<void(schema::ProgramT&)>& change) {
    return changed(whole, [&](auto& snapshot) {
      Octets& bytes = snapshot.programs[0]->bytes;
      const std::unique_ptr<schema::ProgramT> program(schema::GetProgram(bytes.data())->UnPack());
      change(*program);
      bytes = program_bytes(*program);
    });
  }
  static Octets with_instruction(const Octets& whole, std::size_t function, std::size_t index,
                                 const CodeChange& change) {
    return with_program(whole, [&](schema::ProgramT& program) {
      std::uint64_t& word = program.functions[function]->code[index];
      Instruction instruction = decode(word);
      change(instruction);
      word = encode(instruction);
    });
  }
  // Changes each instruction that `change` is for, one at a time, and says how many there are.
  static std::size_t expect_refusals(const Octets& whole, const std::function<bool(Instruction&)>& change,
                                     const std::string& why) {
    std::size_t found = 0;
    const std::vector<std::size_t> sizes = code_sizes(whole);
    for (std::size_t function = 0; function < sizes.size(); ++function) {
      for (std::size_t index = 0; index < sizes[function]; ++index) {
        bool is_meant = false;
        const Octets other = with_instruction(whole, function, index, [&](Instruction& i) { is_meant = change(i); });
        if (!is_meant) continue;
        ++found;
        EXPECT_EQ(refusal(other), "snapshot_bad_program: program: " + why);
      }
    }
    return found;
  }
  static std::vector<std::size_t> code_sizes(const Octets& whole) {
    std::vector<std::size_t> sizes;
    const auto snapshot = parts(whole);
    const schema::Program* const program = schema::GetProgram(snapshot->programs[0]->bytes.data());
    for (const auto* function : *program->functions()) sizes.push_back(function->code()->size());
    return sizes;
  }
};

std::vector<CodeChange> changes() {
  std::vector<CodeChange> all;
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
  const std::vector<CodeChange> all = changes();
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
    "(for [x [1 2] y [3 4] :when (odd? (+ x y))] (task (str x) (let [g (fn [z] (* z y))] (get {:k (g x)} :k))))",
    "(defn c [f g] (fn [& r] (f (apply g r)))) (let [h (c (fn [x] (* x 2.5)) inc)]"
    " (reduce (fn [a x] (if (> a 40) (reduced a) (+ a (h x)))) 0 (filter odd? (range 20))))",
    "(loop [i 0 m {:a {:b 1}}]"
    " (if (<= i 5) (recur (inc i) (update-in (assoc-in m [:a i] (mod i 3)) [:a :b] + 2)) m))"));

// Both operands of a product are one register: only the last reading may take the value, or it is given back twice.
TEST_F(Code, AValueIsTakenOnce) {
  const Octets whole = interrupted("(defn f [x] (* x x)) (loop [i 0] (if (< i 30) (do (f i) (recur (inc i)))))", 4);
  const auto take_both = [](Instruction& i) {
    i.flags = kTakeB | kTakeC;
    return i.op == Op::Mul && i.b == i.c;
  };
  EXPECT_EQ(expect_refusals(whole, take_both, "takes a register before it reads it again"), 1u);
}

// A vector would become an element of itself.
TEST_F(Code, AVectorIsNotPushedToItself) {
  const Octets whole = interrupted("(for [x (range 30)] [x])", 4);
  for (const std::uint8_t flags : {kTakeB, std::uint8_t{0}}) {
    const auto push_itself = [flags](Instruction& i) {
      i.b = i.a;
      i.flags = flags;
      return i.op == Op::VectorPush;
    };
    EXPECT_EQ(expect_refusals(whole, push_itself, "reads what it changes"), 1u);
  }
}

TEST_F(Code, AnEntryForOneArgumentIsRefusedOrHarmless) {
  const Octets whole =
      interrupted("(defn c [f] (fn [& r] (apply f r))) (defn d [& r] r) [((c inc) 1) (d 1) (d 1 2)]", 4);
  for (std::size_t function = 0; function < code_sizes(whole).size(); ++function) {
    for (const std::uint32_t entry : {0u, 1u, 2u, 3u, 4u, 5u, 6u, 7u, 8u, 20u, 0x7fffffffu, 0xffffffffu}) {
      expect_harmless(with_program(whole, [&](auto& program) { program.functions[function]->unary_entry = entry; }));
      ASSERT_FALSE(HasFailure()) << "function " << function << ", entry " << entry;
    }
  }
}

TEST_F(Code, TextsAreUtf8) {
  const Octets whole = suspended("(do (def name 1) (await (tool/ask {:text \"four\"})))");
  const auto with = [&](auto change) { return with_program(whole, change); };
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
