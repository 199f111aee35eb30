#include "fuzz/value_trial.h"

#include "support/snapshot_drive.h"
#include "vm/value/string.h"

namespace ptc::fuzz {

ValueTrial::ValueTrial() : heap(test::tiny_limits().memory_bytes) { env.limits = test::tiny_limits(); }

ValueTrial::~ValueTrial() {
  env.operations.clear();
  heap.free_garbage();
  promise(heap.live_objects() == 0, "values are left on the heap");
}

Value ValueTrial::call(BuiltinId id, std::vector<Value> taken) {
  constexpr std::uint64_t kSlack = 256u << 10;
  Call call(env, id, taken);
  const Value result = plain_builtin(id)(call);
  for (const Value argument : taken) heap.release(argument);
  const std::uint64_t most = heap.limit_bytes() + env.limits.string_bytes + kSlack;
  promise(heap.bytes_used() <= most, "memory far beyond its limit");
  promise(!result.is_absent() || !env.fault.message.empty(), "a builtin fails without saying why");
  return result;
}

Value ValueTrial::text(std::string_view utf8) { return string_of(heap, utf8); }

}  // namespace ptc::fuzz
