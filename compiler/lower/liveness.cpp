#include "compiler/lower/liveness.h"

#include <cstdint>

#include "compiler/analyze/direct_ops.h"
#include "compiler/lower/local_set.h"

namespace ptc {
namespace {

class LastUseFinder {
 public:
  LastUseFinder(Ast& ast, const Captures& captures, Liveness& out) : ast_(ast), captures_(captures), out_(out) {}

  void run() {
    LocalSet live = none();
    scope_ = captures_.scopes[0].get();
    walk(ast_.root, live);
  }

 private:
  // An empty set has a bit for each local of the program, which takes its time.
  LocalSet none() const {
    ast_.work(1 + ast_.locals.size() / kLocalsPerUnit);
    return LocalSet(ast_.locals.size());
  }
  bool in_register(LocalId local) const {
    return captures_.owner[local] == scope_ && !captures_.is_self[local];
  }

  void use(Node* node, LocalSet& live) {
    if (!in_register(node->local)) return;
    node->last_use = !live.has(node->local);
    live.add(node->local);
  }

  void walk_reverse(Node* node, LocalSet& live, std::size_t from, std::size_t to) {
    for (std::size_t i = to; i-- > from;) walk(node->kids[i], live);
  }

  void walk_direct(Node* node, const DirectOp& direct, LocalSet& live) {
    const std::size_t end = direct.first_operand + direct.operand_count;
    for (std::size_t i = end; i-- > direct.first_operand;) {
      if (is_direct_operand(node->kids[i])) use(node->kids[i], live);
    }
    for (std::size_t i = end; i-- > direct.first_operand;) {
      if (!is_direct_operand(node->kids[i])) walk(node->kids[i], live);
    }
  }
  bool is_direct_operand(const Node* kid) const { return kid->kind == NodeKind::Local && in_register(kid->local); }

  // Branches start with `live` after them; leaves in `live` what is live before all of them.
  void walk_branches(Node* node, std::size_t first, LocalSet& live) {
    LocalSet all = none();
    const std::uint64_t bytes = (node->kids.size() - first) * (ast_.locals.size() / 8);
    if (ast_.meter() != nullptr) ast_.meter()->take_for_a_while(bytes);
    std::vector<LocalSet> before;
    for (std::size_t i = first; i < node->kids.size(); ++i) {
      LocalSet branch = live;
      walk(node->kids[i], branch);
      all.unite(branch);
      before.push_back(std::move(branch));
    }
    for (std::size_t i = first; i < node->kids.size(); ++i) set_drops(node->kids[i], all.minus(before[i - first]));
    live = std::move(all);
    ast_.work(3 * bytes / kLocalsPerUnit);
    if (ast_.meter() != nullptr) ast_.meter()->give_back(bytes);
  }

  void set_drops(const Node* node, std::vector<LocalId> drops) {
    if (!drops.empty()) out_.entry_drops[node] = std::move(drops);
  }

  void drop_unused(const Node* body, const std::vector<LocalId>& locals, LocalSet& live) {
    std::vector<LocalId> unused;
    for (const LocalId local : locals) {
      if (!live.has(local)) unused.push_back(local);
      live.remove(local);
    }
    set_drops(body, std::move(unused));
  }

  void walk_let(Node* node, LocalSet& live) {
    walk(node->kids.back(), live);
    drop_let_locals(node, live);
  }

  // A let binds one after the other: a local that no later expression and not the body reads is dropped at the body.
  void drop_let_locals(Node* node, LocalSet& live) {
    std::vector<LocalId> unused;
    for (std::size_t i = node->locals.size(); i-- > 0;) {
      if (!live.has(node->locals[i])) unused.push_back(node->locals[i]);
      live.remove(node->locals[i]);
      walk(node->kids[i], live);
    }
    set_drops(node->kids.back(), std::move(unused));
  }

  // Locals of this function that the subtree reads, bound outside of it or not.
  void collect_uses(const Node* node, LocalSet& uses) const {
    if (node->kind == NodeKind::Local && in_register(node->local)) uses.add(node->local);
    if (node->kind == NodeKind::Fn) {
      for (const LocalId local : captures_.scope_of.at(node)->captures) {
        if (in_register(local)) uses.add(local);
      }
      return;
    }
    for (const ForClause& clause : node->clauses) collect_uses(clause.expression, uses);
    for (const Node* kid : node->kids) collect_uses(kid, uses);
  }
  void remove_bound(const Node* node, LocalSet& uses) const {
    if (node->kind == NodeKind::Fn) return;
    if (node->kind == NodeKind::Let || node->kind == NodeKind::Loop || node->kind == NodeKind::Update) {
      for (const LocalId local : node->locals) uses.remove(local);
    }
    for (const ForClause& clause : node->clauses) {
      if (clause.local != kNoLocal) uses.remove(clause.local);
      remove_bound(clause.expression, uses);
    }
    if (node->kind == NodeKind::For && node->local != kNoLocal) uses.remove(node->local);
    for (const Node* kid : node->kids) remove_bound(kid, uses);
  }
  LocalSet outer_uses(const Node* node) const {
    LocalSet uses = none();
    collect_uses(node, uses);
    remove_bound(node, uses);
    return uses;
  }

  // kid = local + small number
  bool counts(const Node* kid, LocalId local) const {
    const DirectOp direct = direct_op(ast_, *kid);
    return direct.shape == DirectOp::Shape::Immediate && keeps_local(kid->kids[0], local);
  }
  void find_recurs(const Node* node, const Node* target, std::vector<const Node*>& out) const {
    if (node->kind == NodeKind::Fn) return;
    if (node->kind == NodeKind::Recur && node->target == target) out.push_back(node);
    for (const ForClause& clause : node->clauses) find_recurs(clause.expression, target, out);
    for (const Node* kid : node->kids) find_recurs(kid, target, out);
  }
  void find_counters(const Node* loop) {
    std::vector<const Node*> recurs;
    find_recurs(loop->kids.back(), loop, recurs);
    for (const Node* recur : recurs) out_.counts_in_place[recur].resize(recur->kids.size(), false);
    for (std::size_t i = 0; i < loop->locals.size(); ++i) {
      const Node* start = loop->kids[i];
      if (start->kind != NodeKind::Const || ast_.constants[start->constant].kind != Constant::Kind::Int) continue;
      bool always = true;
      for (const Node* recur : recurs) {
        always &= counts(recur->kids[i], loop->locals[i]) || keeps_local(recur->kids[i], loop->locals[i]);
      }
      if (!always) continue;
      for (const Node* recur : recurs) out_.counts_in_place[recur][i] = counts(recur->kids[i], loop->locals[i]);
    }
  }

  void walk_loop(Node* node, LocalSet& live) {
    find_counters(node);
    LocalSet at_jump = outer_uses(node->kids.back());
    for (const LocalId local : node->locals) at_jump.remove(local);
    at_jump.unite(live);
    loops_.push_back({node, at_jump});
    walk(node->kids.back(), live);
    loops_.pop_back();
    drop_loop_locals(node, live, at_jump);
  }
  void drop_loop_locals(Node* node, LocalSet& live, const LocalSet& at_jump) {
    std::vector<LocalId> unused;
    for (const LocalId local : node->locals) {
      if (!live.has(local)) unused.push_back(local);
    }
    // What the jumps keep alive but this body's start does not need any more is dropped at the start, too.
    LocalSet with_locals = live;
    for (const LocalId local : at_jump.minus(with_locals)) unused.push_back(local);
    set_drops(node->kids.back(), std::move(unused));
    // Where the loop starts, all of its locals are there.
    for (const LocalId local : node->locals) live.add(local);
    live.unite(at_jump);
    for (std::size_t i = node->locals.size(); i-- > 0;) {
      live.remove(node->locals[i]);
      walk(node->kids[i], live);
    }
  }

  void walk_recur(Node* node, LocalSet& live) {
    live.clear();
    for (const Loop& loop : loops_) {
      if (loop.node == node->target) live = loop.at_jump;
    }
    const std::vector<LocalId>& targets = node->target->locals;
    for (std::size_t i = 0; i < node->kids.size(); ++i) {
      if (keeps_local(node->kids[i], targets[i])) live.add(targets[i]);
    }
    const auto at = out_.counts_in_place.find(node);
    const auto in_place = [&](std::size_t i) { return at != out_.counts_in_place.end() && at->second[i]; };
    for (std::size_t i = node->kids.size(); i-- > 0;) {
      if (in_place(i)) walk(node->kids[i], live);
    }
    for (std::size_t i = node->kids.size(); i-- > 0;) {
      if (keeps_local(node->kids[i], targets[i])) {
        node->kids[i]->last_use = false;
      } else if (!in_place(i)) {
        walk(node->kids[i], live);
      }
    }
  }
  static bool keeps_local(const Node* kid, LocalId target) {
    return kid->kind == NodeKind::Local && kid->local == target;
  }

  void walk_fn(Node* node, LocalSet& live) {
    const std::vector<LocalId>& captured = captures_.scope_of.at(node)->captures;
    std::vector<bool> last(captured.size(), false);
    for (std::size_t i = captured.size(); i-- > 0;) {
      if (!in_register(captured[i])) continue;
      last[i] = !live.has(captured[i]);
      live.add(captured[i]);
    }
    out_.capture_is_last[node] = std::move(last);
    walk_fn_body(node);
  }
  void walk_fn_body(Node* node) {
    const FunctionScope* saved = scope_;
    std::vector<Loop> saved_loops;
    saved_loops.swap(loops_);
    scope_ = captures_.scope_of.at(node);
    LocalSet live = none();
    loops_.push_back({node, none()});
    walk(node->kids[0], live);
    drop_unused(node->kids[0], node->locals, live);
    if (node->unary != kNoLocal) {
      live = none();
      walk(node->kids[1], live);
      drop_unused(node->kids[1], {node->unary}, live);
    }
    loops_.swap(saved_loops);
    scope_ = saved;
  }

  // The last kid may be skipped at run time; the skipping path drops what only that kid needed.
  void walk_optional(Node* node, std::size_t skippable, LocalSet& live) {
    const LocalSet after = live;
    walk(node->kids[skippable], live);
    if (std::vector<LocalId> drops = live.minus(after); !drops.empty()) out_.skip_drops[node] = std::move(drops);
    live.unite(after);
    walk_reverse(node, live, 0, skippable);
  }

  // Clause i and everything inside of it, given what is live once its own loop (or the enclosing one's turn) goes on.
  void walk_for(Node* node, LocalSet& live) {
    out_.exit_drops[node].resize(node->clauses.size());
    out_.unused[node].resize(node->clauses.size(), false);
    const bool folds = node->local != kNoLocal;
    if (folds) live.add(node->local);
    walk_clause(node, 0, live, live);
    if (!folds) return;
    live.remove(node->local);
    walk(node->kids[1], live);
  }
  // What a fold has is there until its body has something new.
  void walk_fold_body(Node* node, LocalSet& live) {
    live.remove(node->local);
    walk(node->kids[0], live);
    if (!live.has(node->local)) set_drops(node->kids[0], {node->local});
    live.add(node->local);
  }
  // live: after this clause's part of an iteration; turn: live where the innermost enclosing Bind fetches its next.
  void walk_clause(Node* node, std::size_t i, LocalSet& live, const LocalSet& turn) {
    if (i == node->clauses.size()) {
      if (node->local != kNoLocal) return walk_fold_body(node, live);
      walk(node->kids[0], live);
      return;
    }
    ForClause& clause = node->clauses[i];
    switch (clause.kind) {
      case ForClause::Kind::Bind: walk_bind(node, i, live); return;
      case ForClause::Kind::Let:
        walk_clause(node, i + 1, live, turn);
        out_.unused[node][i] = !live.has(clause.local);
        live.remove(clause.local);
        walk(clause.expression, live);
        return;
      case ForClause::Kind::When:
      case ForClause::Kind::While:
        walk_clause(node, i + 1, live, turn);
        out_.exit_drops[node][i] = live.minus(turn);
        live.unite(turn);
        walk(clause.expression, live);
        return;
    }
  }
  void walk_bind(Node* node, std::size_t i, LocalSet& live) {
    const LocalSet after = live;
    LocalSet turn = clause_uses(node, i);
    turn.unite(after);
    LocalSet inner = turn;
    walk_clause(node, i + 1, inner, turn);
    out_.unused[node][i] = !inner.has(node->clauses[i].local);
    out_.exit_drops[node][i] = turn.minus(after);
    live = std::move(turn);
    walk(node->clauses[i].expression, live);
  }
  // Outer locals that an iteration of clause i reads.
  LocalSet clause_uses(const Node* node, std::size_t i) const {
    LocalSet uses = none();
    collect_uses(node->kids[0], uses);
    for (std::size_t k = i + 1; k < node->clauses.size(); ++k) collect_uses(node->clauses[k].expression, uses);
    remove_bound(node->kids[0], uses);
    for (std::size_t k = i; k < node->clauses.size(); ++k) {
      if (node->clauses[k].local != kNoLocal) uses.remove(node->clauses[k].local);
      if (k > i) remove_bound(node->clauses[k].expression, uses);
    }
    return uses;
  }

  void walk(Node* node, LocalSet& live) {
    if (const DirectOp direct = direct_op(ast_, *node); direct.shape != DirectOp::Shape::None) {
      walk_direct(node, direct, live);
      return;
    }
    switch (node->kind) {
      case NodeKind::Local: use(node, live); return;
      case NodeKind::If:
      case NodeKind::Case:
        walk_branches(node, 1, live);
        walk(node->kids[0], live);
        return;
      case NodeKind::Let: walk_let(node, live); return;
      case NodeKind::Loop: walk_loop(node, live); return;
      case NodeKind::Recur: walk_recur(node, live); return;
      case NodeKind::Fn: walk_fn(node, live); return;
      case NodeKind::Update:
        walk(node->kids[2], live);
        drop_unused(node->kids[2], node->locals, live);
        walk_reverse(node, live, 0, 2);
        return;
      case NodeKind::Task: walk_optional(node, 1, live); return;
      case NodeKind::Def:
        if (node->once) {
          walk_optional(node, 0, live);
        } else {
          walk(node->kids[0], live);
        }
        return;
      case NodeKind::For: walk_for(node, live); return;
      case NodeKind::Call:   // a callee that is a local is read where the call is made
        if (is_direct_operand(node->kids[0])) use(node->kids[0], live);
        walk_reverse(node, live, is_direct_operand(node->kids[0]) ? 1 : 0, node->kids.size());
        return;
      case NodeKind::Return:
      case NodeKind::Fail:
        live.clear();
        walk(node->kids[0], live);
        return;
      default: walk_reverse(node, live, 0, node->kids.size());
    }
  }

  struct Loop {
    const Node* node;
    LocalSet at_jump;
  };

  static constexpr std::uint64_t kLocalsPerUnit = 1'024;

  Ast& ast_;
  const Captures& captures_;
  Liveness& out_;
  const FunctionScope* scope_ = nullptr;
  std::vector<Loop> loops_;
};

}  // namespace

Liveness find_last_uses(Ast& ast, const Captures& captures) {
  Liveness liveness;
  LastUseFinder(ast, captures, liveness).run();
  return liveness;
}

}  // namespace ptc
