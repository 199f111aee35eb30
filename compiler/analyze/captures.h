// Which function binds each local and which locals of enclosing functions a function captures. Closures capture by
// value when they are made; a capture of a capture passes through every function in between.
#pragma once
#include <memory>
#include <unordered_map>
#include <vector>

#include "compiler/analyze/ast.h"

namespace ptc {

struct FunctionScope {
  const Node* fn = nullptr;              // null: the program itself
  FunctionScope* parent = nullptr;
  std::vector<LocalId> captures;         // locals of enclosing functions, order of first use
};

struct Captures {
  std::vector<std::unique_ptr<FunctionScope>> scopes;                  // scopes[0]: the program
  std::unordered_map<const Node*, FunctionScope*> scope_of;            // by Fn node
  std::vector<FunctionScope*> owner;                                   // by LocalId
  std::vector<bool> is_self;                                           // by LocalId: names a function in its own body
};

Captures find_captures(const Ast& ast);

}  // namespace ptc
