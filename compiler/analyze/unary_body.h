// Functions of [& rest] that only hand rest on by apply, as comp and complement make them: a call with
// one argument needs no vector. Such a function gets a second body in which (apply f rest) is (f argument).
#pragma once
#include "compiler/analyze/ast.h"

namespace ptc {

// Adds the second body to a Fn node that has its first one, when there can be one.
void add_unary_body(Ast& ast, Node& function);

}  // namespace ptc
