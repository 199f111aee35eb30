// A fact of a run as a fact of a run with another id: its idempotency keys name the other run (effect_facts.h).
#pragma once
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "runtime/log/fact.h"

namespace ptc {

Fact renamed_fact(Fact fact, std::string_view run, std::string_view new_run);
// Returns the id of the run that the keys of these facts name, or nullopt when none does.
std::optional<std::string> run_named_by(std::span<const Fact> facts);

}   // namespace ptc
