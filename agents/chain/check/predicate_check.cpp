#include "agents/chain/check/predicate_check.h"

#include <boost/json/object.hpp>

#include "agents/chain/text/model_json.h"
#include "ptcvm/engine.hpp"
#include "ptcvm/json.hpp"
#include "ptcvm/run.hpp"

namespace ptcvm::chain {

namespace {

constexpr std::uint64_t kMostFuel = 10'000'000, kMostMemoryBytes = 64u << 20;

}  // namespace

bool holds_predicate(std::string_view program, std::string_view output) {
  const Engine engine(EngineOptions{.cached_programs = 0, .shelved_programs = 0, .kept_memory_bytes = 0});
  const auto compiled = engine.compile(program, {.name = "predicate"});
  if (!compiled) return false;
  const auto document = find_json(output);
  const Value data = Value::of(boost::json::value(
      boost::json::object{{"output", output}, {"value", document ? *document : boost::json::value()}}));
  RunOptions options;
  options.data = data;
  options.journal = false;
  options.time_ms = 0;   // the verdict must not depend on the clock
  options.limits.fuel = kMostFuel;
  options.limits.memory_bytes = kMostMemoryBytes;
  auto run = Run::start(engine, *compiled, options);
  if (!run) return false;
  const RunState state = run->step();
  if (state != RunState::Completed && state != RunState::Returned) return false;
  const Value value = run->outcome().value;
  return !value.view().is_nil() && value.view().as_bool().value_or(true);
}

}  // namespace ptcvm::chain
