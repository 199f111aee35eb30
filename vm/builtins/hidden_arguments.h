// Hidden builtins rely on the arguments that the prelude gives them: their bodies do not check texts, positions and
// vectors of one length. Code from bytes, and frames of the prelude in a snapshot, can give them anything, so every
// caller checks the arguments here first.
#pragma once
#include <span>

#include "schema/builtin_id.h"
#include "vm/value/value.h"

namespace ptc {

// Returns whether the arguments have the kinds that the body of this builtin expects. Their number is right.
bool hidden_arguments_fit(BuiltinId id, std::span<const Value> args);

}  // namespace ptc
