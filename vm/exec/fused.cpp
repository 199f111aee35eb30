#include "vm/exec/fused.h"

#include <algorithm>
#include <array>
#include <span>

#include "vm/value/value.h"

namespace ptc {
namespace {

// A part of the code; `length` is of what fuses, and more may follow.
struct Sequence {
  std::span<const Instruction> code;
  std::size_t length;
  const Instruction& operator[](std::size_t k) const { return code[k]; }
};

bool takes(const Instruction& i, std::uint8_t flag) { return (i.flags & flag) != 0; }

bool Always(Sequence) { return true; }
bool Returns(Sequence s) {
  const Instruction &result = s[s.length - 2], &end = s[s.length - 1];
  return end.a == result.a && takes(end, kTakeA);
}
bool Adds(Sequence s) { return s[1].c == s[0].a && takes(s[1], kTakeC) && s[1].b != s[0].a; }
bool AddsReturns(Sequence s) { return Adds(s) && Returns(s); }
bool AddsThere(Sequence s) {
  constexpr std::size_t kTaken = 2 * sizeof(Value), kPut = 3 * sizeof(Value);   // above the window
  return s[1].b == s[0].a + kTaken && takes(s[1], kTakeB) && s[1].a == s[0].a + kPut && s[2].a == s[0].a &&
         s[2].b == s[0].b && (s[1].op != Op::Add || (s[1].c != s[1].b && s[1].c != s[1].a));
}
bool EndsThere(Sequence s) {
  const std::size_t target = 1u + s[0].c;   // forward
  if (target + 3 > s.code.size()) return false;
  const Instruction &one = s[target], &other = s[target + 1];
  const bool drops = (one.a == s[0].a && other.a == s[0].b) || (one.a == s[0].b && other.a == s[0].a);
  return drops && one.op == Op::Drop && other.op == Op::Drop && s[target + 2].op == Op::Return;
}

struct Pattern {
  Fused fused;
  bool (*holds)(Sequence);
  std::array<Op, 4> ops;
  std::size_t length;
};

template <class... Ops>
constexpr Pattern pattern(Fused fused, bool (*holds)(Sequence), Ops... ops) {
  return {fused, holds, {ops...}, sizeof...(ops)};
}

constexpr auto kPatterns = [] {
  using enum Op;
  return std::to_array<Pattern>({
#define FUSED(name, condition, ...) pattern(Fused::name, condition, __VA_ARGS__),
#include "vm/exec/fused.def"
#undef FUSED
  });
}();
static_assert(kOpCount + kPatterns.size() <= 256);

// Where the patterns begin that begin with an instruction, and how many they are.
struct Range {
  std::uint8_t begin = 0, count = 0;
};
constexpr auto kStartingWith = [] {
  std::array<Range, kOpCount> ranges{};
  for (std::size_t k = 0; k < kPatterns.size(); ++k) {
    Range& range = ranges[static_cast<std::size_t>(kPatterns[k].ops[0])];
    if (range.count == 0) range.begin = static_cast<std::uint8_t>(k);
    ++range.count;
  }
  return ranges;
}();

constexpr bool stand_together() {
  for (std::size_t k = 0; k < kPatterns.size(); ++k) {
    const Range range = kStartingWith[static_cast<std::size_t>(kPatterns[k].ops[0])];
    if (k < range.begin || k >= std::size_t{range.begin} + range.count) return false;
  }
  return true;
}
static_assert(stand_together());

bool matches(const Pattern& pattern, std::span<const Instruction> rest) {
  return rest.size() >= pattern.length &&
         std::equal(rest.begin(), rest.begin() + static_cast<std::ptrdiff_t>(pattern.length), pattern.ops.begin(),
                    [](const Instruction& i, Op op) { return i.op == op; }) &&
         pattern.holds({rest, pattern.length});
}

}  // namespace

void fuse(std::vector<Instruction>& code) {
  for (std::size_t pc = 0; pc < code.size(); ++pc) {   // those behind pc are not fused yet
    const Range range = kStartingWith[static_cast<std::size_t>(code[pc].op)];
    const auto candidates = std::span(kPatterns).subspan(range.begin, range.count);
    const auto found = std::find_if(candidates.begin(), candidates.end(), [&code, pc](const Pattern& pattern) {
      return matches(pattern, std::span(code).subspan(pc));
    });
    if (found != candidates.end()) code[pc].op = fused_op(found->fused);
  }
}

Op compiled_op(Op loaded) {
  const std::size_t op = static_cast<std::size_t>(loaded);
  return op < kOpCount ? loaded : kPatterns[op - kOpCount].ops[0];
}

}  // namespace ptc
