// Calls plain builtins without a program: arguments are written as C++ values, results compared as readable text.
// A fault reads "!! kind: message". After each test nothing may be left on the heap.
#pragma once
#include <functional>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "schema/fault_kind.h"
#include "vm/builtins/call.h"
#include "vm/builtins/regex.h"
#include "vm/value/map.h"
#include "vm/value/numeric.h"
#include "vm/value/pending.h"
#include "vm/value/print.h"
#include "vm/value/string.h"
#include "vm/value/vector.h"

namespace ptc {

// One argument: knows how to make its value in a heap.
struct Arg {
  Arg(const char* text) : make([s = std::string(text)](Heap& h) { return string_of(h, s); }) {}
  Arg(std::string text) : make([s = std::move(text)](Heap& h) { return string_of(h, s); }) {}
  Arg(int n) : make([n](Heap&) { return Value::integer(n); }) {}
  Arg(double x) : make([x](Heap&) { return Value::real(x); }) {}
  Arg(bool b) : make([b](Heap&) { return Value::boolean(b); }) {}
  Arg(std::nullptr_t) : make([](Heap&) { return Value::nil(); }) {}
  explicit Arg(std::function<Value(Heap&)> f) : make(std::move(f)) {}
  std::function<Value(Heap&)> make;
};

inline Arg keyword(std::string name) {
  return Arg([name](Heap& h) { return Value::of(h.intern(name)); });
}
inline Arg regex(std::string pattern) {
  return Arg([pattern](Heap& h) { return regex_make(h, pattern, nullptr); });
}
inline Arg big(std::string digits) {
  return Arg([digits](Heap& h) { return integer_from_decimal(h, digits); });
}
inline Arg vec(std::vector<Arg> items) {
  return Arg([items](Heap& h) {
    VectorBuilder out(h);
    for (const Arg& item : items) out.push(item.make(h));
    return out.finish();
  });
}
inline Arg map(std::vector<std::pair<Arg, Arg>> entries) {
  return Arg([entries](Heap& h) {
    Value m = map_empty(h);
    for (const auto& [k, v] : entries) m = map_assoc(h, m, k.make(h), v.make(h));
    return m;
  });
}
inline Arg pending(std::string id) {
  return Arg([id](Heap& h) { return pending_of(h, string_of(h, id)); });
}

// A call and what comes of it.
struct CallRow {
  BuiltinId id;
  std::vector<Arg> args;
  const char* result;
};

class BuiltinTest : public ::testing::Test {
 protected:
  ~BuiltinTest() override { EXPECT_EQ(heap.live_objects(), 0u) << "leaked"; }

  void check(const std::vector<CallRow>& rows) {
    for (const CallRow& row : rows) EXPECT_EQ(run(row.id, row.args), row.result) << builtin_info(row.id).name;
  }

  std::string run(BuiltinId id, std::vector<Arg> args) {
    std::vector<Value> registers;
    for (const Arg& arg : args) registers.push_back(arg.make(heap));
    Call call(env, id, registers);
    const Value result = plain_builtin(id)(call);
    std::string text;
    if (result.is_absent()) {
      text = "!! " + std::string(fault_name(env.fault.kind)) + ": " + env.fault.message;
    } else {
      append_readable(text, result, heap);
    }
    heap.release(result);
    for (const Value v : registers) heap.release(v);
    return text;
  }
  // Only the kind of the fault.
  std::string fault(BuiltinId id, std::vector<Arg> args) {
    const std::string text = run(id, std::move(args));
    return text.starts_with("!! ") ? text.substr(3, text.find(':') - 3) : "no fault: " + text;
  }

  Heap heap;
  Environment env{heap};
};

}  // namespace ptc
