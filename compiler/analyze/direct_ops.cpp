#include "compiler/analyze/direct_ops.h"

namespace ptc {
namespace {

struct BinaryOp {
  BuiltinId builtin;
  Op op;
  bool chains;     // left-associative over more than two operands
  bool negate;
};

constexpr BinaryOp kBinary[] = {
    {BuiltinId::add, Op::Add, true, false},         {BuiltinId::sub, Op::Sub, true, false},
    {BuiltinId::mul, Op::Mul, true, false},         {BuiltinId::div, Op::Div, true, false},
    {BuiltinId::lt, Op::Less, false, false},        {BuiltinId::le, Op::LessEq, false, false},
    {BuiltinId::gt, Op::Greater, false, false},     {BuiltinId::ge, Op::GreaterEq, false, false},
    {BuiltinId::eq, Op::Equal, false, false},       {BuiltinId::not_equal, Op::Equal, false, true},
    {BuiltinId::get, Op::Get, false, false},        {BuiltinId::nth, Op::Nth, false, false},
    {BuiltinId::conj, Op::Conj, false, false},      {BuiltinId::quot, Op::Quot, false, false},
    {BuiltinId::rem, Op::Rem, false, false},        {BuiltinId::mod, Op::Mod, false, false},
};

bool simple_tail(const Node& node) {
  for (std::size_t i = 2; i < node.kids.size(); ++i) {
    if (node.kids[i]->kind != NodeKind::Local && node.kids[i]->kind != NodeKind::Const) return false;
  }
  return true;
}

DirectOp immediate_form(Op op, std::int16_t number) {
  return {DirectOp::Shape::Immediate, op, false, number, 0, 1};
}

DirectOp invoke_op(const Ast& ast, const Node& node) {
  using Shape = DirectOp::Shape;
  const std::size_t count = node.kids.size();
  if (count == 1) {
    switch (node.builtin) {
      case BuiltinId::not_: return {Shape::Unary, Op::Not, false, 0, 0, 1};
      case BuiltinId::nil_p: return {Shape::Unary, Op::IsNil, false, 0, 0, 1};
      case BuiltinId::count: return {Shape::Unary, Op::Count, false, 0, 0, 1};
      case BuiltinId::even_p: return {Shape::Unary, Op::IsEven, false, 0, 0, 1};
      case BuiltinId::odd_p: return {Shape::Unary, Op::IsOdd, false, 0, 0, 1};
      case BuiltinId::zero_p: return {Shape::Unary, Op::IsZero, false, 0, 0, 1};
      case BuiltinId::pos_p: return {Shape::Unary, Op::IsPos, false, 0, 0, 1};
      case BuiltinId::neg_p: return {Shape::Unary, Op::IsNeg, false, 0, 0, 1};
      case BuiltinId::inc: return immediate_form(Op::Inc, 1);
      case BuiltinId::dec: return immediate_form(Op::Inc, -1);
      default: return {};
    }
  }
  if (count < 2) return {};
  std::int16_t number = 0;
  if (count == 2 && small_integer(ast, *node.kids[1], &number)) {
    if (node.builtin == BuiltinId::add) return immediate_form(Op::AddImm, number);
    if (node.builtin == BuiltinId::sub && number > INT16_MIN) {
      return immediate_form(Op::AddImm, static_cast<std::int16_t>(-number));
    }
  }
  if (count == 3 && node.builtin == BuiltinId::assoc) return {Shape::InPlace, Op::Assoc, false, 0, 0, 3};
  if (count == 3 && node.builtin == BuiltinId::assoc_in) return {Shape::InPlace, Op::AssocIn, false, 0, 0, 3};
  for (const BinaryOp& entry : kBinary) {
    if (entry.builtin != node.builtin) continue;
    if (count == 2) return {Shape::Binary, entry.op, entry.negate, 0, 0, 2};
    if (entry.chains && simple_tail(node)) {
      return {Shape::Chain, entry.op, false, 0, 0, static_cast<std::uint32_t>(count)};
    }
  }
  return {};
}

}  // namespace

bool small_integer(const Ast& ast, const Node& node, std::int16_t* out) {
  if (node.kind != NodeKind::Const) return false;
  const Constant& constant = ast.constants[node.constant];
  if (constant.kind != Constant::Kind::Int) return false;
  if (constant.integer < INT16_MIN || constant.integer > INT16_MAX) return false;
  *out = static_cast<std::int16_t>(constant.integer);
  return true;
}

Op op_with_constant(Op op, bool constant_first) {
  switch (op) {
    case Op::Add: return constant_first ? Op::ConstAdd : Op::AddConst;
    case Op::Sub: return constant_first ? Op::ConstSub : Op::SubConst;
    case Op::Mul: return constant_first ? Op::ConstMul : Op::MulConst;
    case Op::Div: return constant_first ? Op::ConstDiv : Op::DivConst;
    default: return Op::Nop;
  }
}

bool is_number_constant(const Ast& ast, const Node& node) {
  if (node.kind != NodeKind::Const) return false;
  const Constant::Kind kind = ast.constants[node.constant].kind;
  return kind == Constant::Kind::Int || kind == Constant::Kind::Float;
}

DirectOp direct_op(const Ast& ast, const Node& node) {
  if (node.kind == NodeKind::Invoke) return invoke_op(ast, node);
  if (node.kind == NodeKind::Call && node.kids.size() == 2 && node.kids[0]->kind == NodeKind::Const &&
      ast.constants[node.kids[0]->constant].kind == Constant::Kind::Keyword) {
    return {DirectOp::Shape::Keyword, Op::GetKeyword, false, 0, 1, 1};
  }
  return {};
}

}  // namespace ptc
