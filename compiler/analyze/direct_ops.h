// Which calls of builtins are single instructions whose operands may be registers of locals. Liveness and code
// generation must agree on it: an operand that is a local is read by the instruction itself, after all other operands
// were computed.
#pragma once
#include <cstdint>

#include "compiler/analyze/ast.h"
#include "schema/opcode.h"

namespace ptc {

struct DirectOp {
  enum class Shape : std::uint8_t {
    None,      // an ordinary call
    Unary,     // op dst, kid
    Binary,    // op dst, kid, kid
    Chain,     // op over three or more kids, folded from the left; all after the second are locals or constants
    Immediate, // op dst, kid, number
    Keyword,   // GetKeyword dst, kid, constant
    InPlace,   // op kid moved to dst, kid, kid
  };
  Shape shape = Shape::None;
  Op op = Op::Nop;
  bool negate = false;                 // Binary: the opposite of what the op gives (not=)
  std::int16_t immediate = 0;
  std::uint32_t first_operand = 0;     // kids before it are no operands (the keyword of a keyword call)
  std::uint32_t operand_count = 0;     // kids from first_operand on that are operands
};

DirectOp direct_op(const Ast& ast, const Node& node);

// Returns the op whose one operand is a number constant, the first one or the second; Nop: there is none.
Op op_with_constant(Op op, bool constant_first);

bool is_number_constant(const Ast& ast, const Node& node);

// Returns the small integer that a node is, when it fits an immediate operand.
bool small_integer(const Ast& ast, const Node& node, std::int16_t* out);

}  // namespace ptc
