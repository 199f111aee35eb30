// The analysed program as text, for tests and for people: an S-expression, locals written as name.id.
#pragma once
#include <string>

#include "compiler/analyze/ast.h"

namespace ptc {

std::string print_ast(const Ast& ast);

}  // namespace ptc
