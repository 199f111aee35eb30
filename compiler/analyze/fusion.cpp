#include "compiler/analyze/fusion.h"

#include <algorithm>
#include <vector>

namespace ptc {
namespace {

// What computing an expression may do besides giving a value.
enum class Work : std::uint8_t {
  Nothing,      // it always gives one
  WideInteger,  // fail when an integer gets wider than a run allows
  Failing,      // fail
  Effects,      // be seen from outside, never end, …
};

class StageReader {
 public:
  explicit StageReader(const Ast& ast) : ast_(ast) {}

  // Elements and values of the clauses become known to later calls.
  Work read(const std::vector<ForClause>& clauses, std::size_t from) {
    Work most = Work::Nothing;
    for (std::size_t i = from; i < clauses.size(); ++i) {
      const ForClause& clause = clauses[i];
      if (clause.kind == ForClause::Kind::Bind) {
        if (gives_integers(ast_, *clause.expression)) integers_.push_back(clause.local);
        continue;   // where the elements come from is computed before any stage
      }
      most = std::max(most, work_of(*clause.expression));
      if (clause.kind == ForClause::Kind::Let && is_integer(*clause.expression)) integers_.push_back(clause.local);
    }
    return most;
  }
  void know_integer(LocalId local) { integers_.push_back(local); }
  // Knows it of a local that begins as an integer when the step of an integer is an integer.
  void know_integer_if(LocalId local, const Node& step) {
    integers_.push_back(local);
    if (!is_integer(step)) integers_.pop_back();
  }

  bool is_integer(const Node& node) const {
    if (node.kind == NodeKind::Const) return ast_.constants[node.constant].kind == Constant::Kind::Int;
    if (node.kind == NodeKind::Local) {
      return std::find(integers_.begin(), integers_.end(), node.local) != integers_.end();
    }
    if (node.kind != NodeKind::Invoke || node.kids.empty()) return false;
    switch (node.builtin) {
      case BuiltinId::add: case BuiltinId::sub: case BuiltinId::mul: case BuiltinId::inc: case BuiltinId::dec:
        return all_integers(node);
      case BuiltinId::mod: case BuiltinId::rem: case BuiltinId::quot: return divides_integers(node);
      default: return false;
    }
  }

  Work work_of(const Node& node) const {
    switch (node.kind) {
      case NodeKind::Const:
      case NodeKind::Local: return Work::Nothing;
      case NodeKind::If:
      case NodeKind::Let: return with_kids(Work::Nothing, node);
      case NodeKind::Call: {
        const bool is_field = node.kids[0]->kind == NodeKind::Const && node.kids.size() == 2 &&
                              ast_.constants[node.kids[0]->constant].kind == Constant::Kind::Keyword;
        return is_field ? with_kids(Work::Nothing, node) : Work::Effects;
      }
      case NodeKind::Invoke: return with_kids(work_of_call(node), node);
      default: return Work::Effects;
    }
  }

 private:
  bool all_integers(const Node& node) const {
    return std::all_of(node.kids.begin(), node.kids.end(), [this](const Node* kid) { return is_integer(*kid); });
  }
  bool divides_integers(const Node& node) const {
    return node.kids.size() == 2 && is_integer(*node.kids[0]) && node.kids[1]->kind == NodeKind::Const &&
           is_integer(*node.kids[1]) && ast_.constants[node.kids[1]->constant].integer != 0;
  }
  Work with_kids(Work own, const Node& node) const {
    for (const Node* kid : node.kids) own = std::max(own, work_of(*kid));
    return own;
  }
  Work work_of_call(const Node& node) const {
    switch (node.builtin) {
      case BuiltinId::even_p: case BuiltinId::odd_p: case BuiltinId::zero_p: case BuiltinId::pos_p:
      case BuiltinId::neg_p: case BuiltinId::nil_p: case BuiltinId::some_p: case BuiltinId::true_p:
      case BuiltinId::false_p: case BuiltinId::string_p: case BuiltinId::number_p: case BuiltinId::keyword_p:
      case BuiltinId::map_p: case BuiltinId::vector_p: case BuiltinId::set_p: case BuiltinId::not_:
      case BuiltinId::eq: case BuiltinId::not_equal: case BuiltinId::identity: return Work::Nothing;
      case BuiltinId::add: case BuiltinId::sub: case BuiltinId::mul: case BuiltinId::inc: case BuiltinId::dec:
        return all_integers(node) ? Work::WideInteger : Work::Failing;
      case BuiltinId::lt: case BuiltinId::le: case BuiltinId::gt: case BuiltinId::ge:
        return all_integers(node) ? Work::Nothing : Work::Failing;
      case BuiltinId::mod: case BuiltinId::rem: case BuiltinId::quot:
        return divides_integers(node) ? Work::Nothing : Work::Failing;
      case BuiltinId::div: case BuiltinId::min: case BuiltinId::max: case BuiltinId::abs: case BuiltinId::get:
      case BuiltinId::nth: case BuiltinId::count: case BuiltinId::first: case BuiltinId::conj:
      case BuiltinId::assoc: case BuiltinId::str: return Work::Failing;
      default: return Work::Effects;
    }
  }

  const Ast& ast_;
  std::vector<LocalId> integers_;
};

void rename(Node& node, LocalId from, LocalId to) {
  if (node.kind == NodeKind::Local && node.local == from) node.local = to;
  for (ForClause& clause : node.clauses) rename(*clause.expression, from, to);
  for (Node* kid : node.kids) rename(*kid, from, to);
}

}  // namespace

bool gives_integers(const Ast& ast, const Node& collection) {
  if (collection.kind == NodeKind::For) {
    if (!collection.collect) return false;
    StageReader stages(ast);
    stages.read(collection.clauses, 0);
    return stages.is_integer(*collection.kids[0]);
  }
  if (collection.kind != NodeKind::Invoke || collection.builtin != BuiltinId::range) return false;
  const std::size_t count = collection.kids.size();
  const auto is_integer = [&](std::size_t i) { return StageReader(ast).is_integer(*collection.kids[i]); };
  // Counting begins with the first of two or three numbers and goes on by the third.
  return count == 1 || (count == 2 && is_integer(0)) || (count == 3 && is_integer(0) && is_integer(2));
}

bool can_be_counted(const Ast& ast, const Node& comprehension) {
  for (std::size_t i = 1; i < comprehension.clauses.size(); ++i) {
    if (comprehension.clauses[i].kind == ForClause::Kind::Bind) return false;
  }
  StageReader stages(ast);
  stages.read(comprehension.clauses, 0);
  return stages.work_of(*comprehension.kids[0]) == Work::Nothing;
}

void fuse_with_source(const Ast& ast, Node& node) {
  Node& source = *node.clauses[0].expression;
  if (node.starts_with_first || source.kind != NodeKind::For || !source.collect) return;
  for (std::size_t i = 1; i < source.clauses.size(); ++i) {
    if (source.clauses[i].kind == ForClause::Kind::Bind) return;   // leaving it early would leave one loop of several
  }
  StageReader stages(ast);
  const Work of_clauses = stages.read(source.clauses, 0);
  const Work inner = std::max(of_clauses, stages.work_of(*source.kids[0]));
  if (stages.is_integer(*source.kids[0])) stages.know_integer(node.clauses[0].local);
  const bool folds = node.local != kNoLocal;
  if (folds && stages.is_integer(*node.kids[1])) stages.know_integer_if(node.local, *node.kids[0]);
  const Work of_outer_clauses = stages.read(node.clauses, 1);
  const Work outer = std::max(of_outer_clauses, stages.work_of(*node.kids[0]));
  const bool inner_is_quiet = inner == Work::Nothing || (inner == Work::WideInteger && outer <= Work::Failing);
  if (!inner_is_quiet && (folds || outer != Work::Nothing)) return;

  const LocalId element = node.clauses[0].local;
  std::vector<ForClause> clauses = std::move(source.clauses);
  if (source.kids[0]->kind == NodeKind::Local && source.kids[0]->local == clauses[0].local) {
    for (std::size_t i = 1; i < clauses.size(); ++i) rename(*clauses[i].expression, clauses[0].local, element);
    clauses[0].local = element;
  } else {
    ForClause value;
    value.kind = ForClause::Kind::Let;
    value.local = element;
    value.expression = source.kids[0];
    clauses.push_back(std::move(value));
  }
  clauses.insert(clauses.end(), std::make_move_iterator(node.clauses.begin() + 1),
                 std::make_move_iterator(node.clauses.end()));
  node.clauses = std::move(clauses);
}

}  // namespace ptc
