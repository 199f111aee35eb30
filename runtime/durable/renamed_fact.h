// A fact of a run as a fact of a run with another id: its idempotency keys name the other run (effect_facts.h).
#pragma once
#include <string_view>

#include "runtime/log/fact.h"

namespace ptc {

Fact renamed_fact(Fact fact, std::string_view run, std::string_view new_run);

}   // namespace ptc
