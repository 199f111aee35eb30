// What runs that move do between any two stores (runtime/log/run_move.h): tests that run on each pair.
#pragma once
#include <functional>
#include <memory>
#include <string>

#include "runtime/log/fact_store.h"

namespace ptc {

// Gives a fresh, empty store. Several are alive at a time. `is_target` tells the two of a test apart.
using FreshOfTwo = std::function<std::unique_ptr<FactStore>(bool is_target)>;

// Registers the tests of one pair of kinds: `fresh(false)` is where runs begin.
bool move_conformance(const std::string& suite, FreshOfTwo fresh);

}  // namespace ptc
