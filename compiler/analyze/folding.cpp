// Constant folding: only what is exact and cannot fail. Integers stay integers of 64 bits; anything beyond is
// left to the run.
#include <optional>

#include "compiler/analyze/analysis.h"

namespace ptc {
namespace {

struct Folded {
  std::int64_t number = 0;
  bool failed = false;
};

Folded fold_step(BuiltinId id, std::int64_t a, std::int64_t b) {
  Folded result;
  switch (id) {
    case BuiltinId::add:
    case BuiltinId::inc: result.failed = __builtin_add_overflow(a, b, &result.number); break;
    case BuiltinId::sub:
    case BuiltinId::dec: result.failed = __builtin_sub_overflow(a, b, &result.number); break;
    case BuiltinId::mul: result.failed = __builtin_mul_overflow(a, b, &result.number); break;
    default: result.failed = true;
  }
  return result;
}

std::optional<std::int64_t> fold_arithmetic(BuiltinId id, const std::vector<std::int64_t>& numbers) {
  if (id == BuiltinId::inc || id == BuiltinId::dec) {
    const Folded result = fold_step(id, numbers[0], 1);
    return result.failed ? std::nullopt : std::optional(result.number);
  }
  if (id != BuiltinId::add && id != BuiltinId::sub && id != BuiltinId::mul) return std::nullopt;
  Folded result{id == BuiltinId::sub && numbers.size() == 1 ? 0 : numbers[0], false};
  for (std::size_t i = numbers.size() == 1 ? 0 : 1; i < numbers.size() && !result.failed; ++i) {
    if (numbers.size() == 1 && id != BuiltinId::sub) break;
    result = fold_step(id, result.number, numbers[i]);
  }
  return result.failed ? std::nullopt : std::optional(result.number);
}

std::optional<bool> fold_comparison(BuiltinId id, std::int64_t a, std::int64_t b) {
  switch (id) {
    case BuiltinId::eq: return a == b;
    case BuiltinId::not_equal: return a != b;
    case BuiltinId::lt: return a < b;
    case BuiltinId::gt: return a > b;
    case BuiltinId::le: return a <= b;
    case BuiltinId::ge: return a >= b;
    default: return std::nullopt;
  }
}

}  // namespace

Node* Analyzer::fold_invoke(Node* node) {
  if (!options_.optimize || node->kids.empty()) return node;
  if (node->builtin == BuiltinId::not_ && node->kids[0]->kind == NodeKind::Const) {
    return make_boolean(node->span, !ast_.constants[node->kids[0]->constant].is_truthy());
  }
  std::vector<std::int64_t> numbers;
  for (const Node* kid : node->kids) {
    if (kid->kind != NodeKind::Const) return node;
    const Constant& constant = ast_.constants[kid->constant];
    if (constant.kind != Constant::Kind::Int) return node;
    numbers.push_back(constant.integer);
  }
  if (const auto number = fold_arithmetic(node->builtin, numbers)) return make_integer(node->span, *number);
  if (numbers.size() != 2) return node;
  const auto truth = fold_comparison(node->builtin, numbers[0], numbers[1]);
  return truth ? make_boolean(node->span, *truth) : node;
}

Node* Analyzer::fold_if(Node* node) {
  if (!options_.optimize || node->kids[0]->kind != NodeKind::Const) return node;
  return node->kids[ast_.constants[node->kids[0]->constant].is_truthy() ? 1 : 2];
}

}  // namespace ptc
