// Reads the code of a comparator: a straight line of a few instructions, followed with what each register stands for.
// (<= a b) orders as (< a b) does, because a sort asks both ways round before it takes the second element first.
#include "vm/exec/known_order.h"

#include <array>

#include "schema/builtin_id.h"
#include "vm/exec/link.h"

namespace ptc {

namespace {

constexpr std::size_t kMaxInstructions = 8;
constexpr std::size_t kMaxRegisters = 16;

struct Meaning {
  enum class Kind : std::uint8_t { Nothing, Argument, Answer };
  Kind kind = Kind::Nothing;
  std::uint32_t argument = 0;       // Argument: which one, and the field of it
  Value field = Value::nil();
  KnownOrder order{};               // Answer
};

// What comparing them says, when they are the same part of one argument each.
Meaning compared(const Meaning& x, const Meaning& y, bool numbers_only, bool descending) {
  const bool alike = x.kind == Meaning::Kind::Argument && y.kind == Meaning::Kind::Argument &&
                     x.argument != y.argument && same_word(x.field, y.field);
  if (!alike) return {};
  Meaning answer;
  answer.kind = Meaning::Kind::Answer;
  answer.order = {x.field, numbers_only, descending != (x.argument == 1)};
  return answer;
}

class Reader {
 public:
  explicit Reader(const Closure* closure)
      : prototype_(*static_cast<const Prototype*>(closure->function)), link_(*static_cast<Link*>(closure->link)) {
    for (std::uint32_t i = 0; i < 2; ++i) {
      registers_[i].kind = Meaning::Kind::Argument;
      registers_[i].argument = i;
    }
  }

  std::optional<KnownOrder> read() {
    const bool readable = !prototype_.variadic && prototype_.required_count == 2 &&
                          prototype_.register_count <= kMaxRegisters;
    if (!readable) return std::nullopt;
    for (std::size_t pc = 0; pc < prototype_.code.size() && pc < kMaxInstructions; ++pc) {
      const Instruction i = as_compiled(prototype_.code[pc]);
      if (i.op == Op::Return) {
        const Meaning& result = registers_[i.a];
        if (result.kind != Meaning::Kind::Answer) return std::nullopt;
        return result.order;
      }
      if (!step(i)) return std::nullopt;
    }
    return std::nullopt;
  }

 private:
  bool step(const Instruction& i) {
    switch (i.op) {
      case Op::Move: registers_[i.a] = Meaning(registers_[i.b]); return true;
      case Op::Drop: return true;
      case Op::GetKeyword: {
        Meaning field = registers_[i.b];
        if (field.kind != Meaning::Kind::Argument || !field.field.is_nil()) return false;
        field.field = link_.constants[i.c];
        registers_[i.a] = field;
        return field.field.is_keyword();
      }
      case Op::Less:
      case Op::LessEq: registers_[i.a] = compared(registers_[i.b], registers_[i.c], true, false); return true;
      case Op::Greater:
      case Op::GreaterEq: registers_[i.a] = compared(registers_[i.b], registers_[i.c], true, true); return true;
      case Op::CallPlain: {
        const auto builtin = static_cast<BuiltinId>(link_.program->builtins[i.b]);
        if (builtin != BuiltinId::compare || i.c != 2) return false;
        registers_[i.a] = compared(registers_[i.a + 1u], registers_[i.a + 2u], false, false);
        return true;
      }
      default: return false;
    }
  }

  const Prototype& prototype_;
  const Link& link_;
  std::array<Meaning, kMaxRegisters> registers_{};
};

}  // namespace

std::optional<KnownOrder> known_order(Value comparator) {
  if (comparator.is(Tag::Closure)) return Reader(static_cast<const Closure*>(comparator.object)).read();
  if (!comparator.is(Tag::Builtin)) return std::nullopt;
  switch (comparator.builtin()) {
    case BuiltinId::lt:
    case BuiltinId::le: return KnownOrder{Value::nil(), true, false};
    case BuiltinId::gt:
    case BuiltinId::ge: return KnownOrder{Value::nil(), true, true};
    default: return std::nullopt;
  }
}

}  // namespace ptc
