// Calls plain builtins by name with arguments written as data: run("(take 2 [1 2 3])") gives "[1 2]", a fault gives
// "!! kind: message". After each test nothing may be left on the heap.
//
// The reader knows nil, true, false, numbers, "strings" without escapes, :keywords, [vectors], {maps}, #{sets},
// (pending "id" immediate), which opens that operation, and, as functions, the names of builtins.
#pragma once
#include <charconv>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "schema/fault_kind.h"
#include "vm/builtins/call.h"
#include "vm/value/map.h"
#include "vm/value/numeric.h"
#include "vm/value/pending.h"
#include "vm/value/print.h"
#include "vm/value/string.h"
#include "vm/value/vector.h"

namespace ptc::test {

class ValueText {
 public:
  ValueText(Environment& env, std::string_view text) : env_(env), heap_(env.heap), text_(text) {}

  // Every value up to the closing delimiter, owned. The name of a call is skipped by word().
  std::vector<Value> values(char close) {
    std::vector<Value> result;
    while (skip() && text_[at_] != close) result.push_back(value());
    ++at_;
    return result;
  }

  std::string_view word() {
    skip();
    const std::size_t from = at_;
    while (at_ < text_.size() && std::string_view(" ,()[]{}\"").find(text_[at_]) == std::string_view::npos) ++at_;
    return text_.substr(from, at_ - from);
  }

  bool open(char delimiter) {
    if (!skip() || text_[at_] != delimiter) return false;
    ++at_;
    return true;
  }

  Value value() {
    if (open('[')) return vector_of(heap_, values(']'));
    if (open('{')) return map();
    if (open('(')) return pending();
    if (text_.substr(at_, 2) == "#{") {
      at_ += 2;
      Value set = set_empty(heap_);
      for (const Value item : values('}')) set = set_add(heap_, set, item);
      return set;
    }
    if (open('"')) {
      const std::size_t end = text_.find('"', at_);
      const std::string_view body = text_.substr(at_, end - at_);
      at_ = end + 1;
      return string_of(heap_, body);
    }
    return atom(word());
  }

 private:
  bool skip() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == ',')) ++at_;
    return at_ < text_.size();
  }

  Value map() {
    const std::vector<Value> items = values('}');
    Value result = map_empty(heap_);
    for (std::size_t i = 0; i + 1 < items.size(); i += 2) result = map_assoc(heap_, result, items[i], items[i + 1]);
    return result;
  }

  Value pending() {
    word();
    const std::vector<Value> parts = values(')');
    Operation operation;
    operation.id = string_view_of(parts[0]);
    operation.tool = "call";
    operation.immediate = parts[1];
    env_.operations.open(std::move(operation));
    return pending_of(env_.heap, parts[0]);
  }

  Value atom(std::string_view token) {
    if (token == "nil") return Value::nil();
    if (token == "true" || token == "false") return Value::boolean(token == "true");
    if (token == "##Inf") return Value::real(1e308 * 10);
    if (token == "##NaN") return Value::real(0.0 / zero_);
    if (token[0] == ':') return Value::of(heap_.intern(token.substr(1)));
    if (const auto id = find_builtin(token)) return Value::of(*id);
    if (token.find('.') != std::string_view::npos) return Value::real(parse_double(token).value_or(0));
    return integer_from_decimal(heap_, token);
  }

  Environment& env_;
  Heap& heap_;
  std::string_view text_;
  std::size_t at_ = 0;
  double zero_ = 0;
};

struct BuiltinCase {
  const char* call;
  const char* result;
};

class BuiltinFixture : public ::testing::Test {
 protected:
  std::string run(std::string_view text) {
    ValueText reader(env, text);
    reader.open('(');
    const std::optional<BuiltinId> id = find_builtin(reader.word());
    if (!id || plain_builtin(*id) == nullptr) return "no such plain builtin";
    std::vector<Value> arguments = reader.values(')');
    Call call(env, *id, arguments);
    const Value result = plain_builtin(*id)(call);
    std::string shown;
    if (result.is_absent()) {
      shown = "!! " + std::string(fault_name(env.fault.kind)) + ": " + env.fault.message;
    } else {
      append_readable(shown, result, heap);
    }
    heap.release(result);
    for (const Value argument : arguments) heap.release(argument);
    env.operations.clear();
    return shown;
  }

  void check(const std::vector<BuiltinCase>& cases) {
    for (const BuiltinCase& one : cases) EXPECT_EQ(run(one.call), one.result) << one.call;
  }

  void TearDown() override { EXPECT_EQ(heap.live_objects(), 0u); }

  Heap heap;
  Environment env{heap};
};

}  // namespace ptc::test
