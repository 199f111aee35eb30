#include "compiler/analyze/captures.h"

#include <algorithm>

namespace ptc {
namespace {

class CaptureFinder {
 public:
  CaptureFinder(const Ast& ast, Captures& out) : out_(out) {
    out_.owner.assign(ast.locals.size(), nullptr);
    out_.is_self.assign(ast.locals.size(), false);
    out_.scopes.push_back(std::make_unique<FunctionScope>());
    current_ = out_.scopes.back().get();
    visit(ast.root);
  }

 private:
  void bind(LocalId local) { out_.owner[local] = current_; }

  void use(LocalId local) {
    FunctionScope* owner = out_.owner[local];
    for (FunctionScope* scope = current_; scope != owner; scope = scope->parent) {
      if (std::find(scope->captures.begin(), scope->captures.end(), local) != scope->captures.end()) return;
      scope->captures.push_back(local);
    }
  }

  void visit_fn(const Node* node) {
    out_.scopes.push_back(std::make_unique<FunctionScope>());
    FunctionScope* scope = out_.scopes.back().get();
    scope->fn = node;
    scope->parent = current_;
    out_.scope_of[node] = scope;
    current_ = scope;
    if (node->local != kNoLocal) {
      bind(node->local);
      out_.is_self[node->local] = true;
    }
    for (const LocalId local : node->locals) bind(local);
    if (node->unary != kNoLocal) bind(node->unary);
    for (const Node* body : node->kids) visit(body);
    current_ = scope->parent;
  }

  void visit_for(const Node* node) {
    if (node->local != kNoLocal) {
      visit(node->kids[1]);
      bind(node->local);
    }
    for (const ForClause& clause : node->clauses) {
      visit(clause.expression);
      if (clause.local != kNoLocal) bind(clause.local);
    }
    visit(node->kids[0]);
  }

  void visit(const Node* node) {
    switch (node->kind) {
      case NodeKind::Local: use(node->local); return;
      case NodeKind::Fn: visit_fn(node); return;
      case NodeKind::For: visit_for(node); return;
      case NodeKind::Update:
        visit(node->kids[0]);
        visit(node->kids[1]);
        bind(node->locals[0]);
        visit(node->kids[2]);
        return;
      case NodeKind::Let:
      case NodeKind::Loop:
        for (std::size_t i = 0; i < node->locals.size(); ++i) {
          visit(node->kids[i]);
          bind(node->locals[i]);
        }
        visit(node->kids.back());
        return;
      default:
        for (const Node* kid : node->kids) visit(kid);
    }
  }

  Captures& out_;
  FunctionScope* current_ = nullptr;
};

}  // namespace

Captures find_captures(const Ast& ast) {
  Captures captures;
  CaptureFinder(ast, captures);
  return captures;
}

}  // namespace ptc
