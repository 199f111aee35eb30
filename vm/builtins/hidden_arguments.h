// Hidden builtins rely on what the prelude gives them: texts, positions and vectors of one length are not checked in
// their bodies. Code that comes as bytes, and frames of the prelude in a snapshot, can give them anything; so whoever
// calls one looks here first.
#pragma once
#include <span>

#include "schema/builtin_id.h"
#include "vm/value/value.h"

namespace ptc {

// Whether the arguments are of the kinds that this builtin's body takes for granted. Their number is right.
bool hidden_arguments_fit(BuiltinId id, std::span<const Value> args);

}  // namespace ptc
