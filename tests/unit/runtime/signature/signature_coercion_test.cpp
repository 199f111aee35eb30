// Coercion: what becomes what, what does not fit and where, and that what fits is left alone.
#include "runtime/signature/coercion.h"

#include <gtest/gtest.h>

#include "runtime/text/edn.h"
#include "tests/unit/runtime/signature/parsed_signature.h"
#include "vm/value/map.h"
#include "vm/value/print.h"
#include "vm/value/string.h"
#include "vm/value/vector.h"

namespace ptc {
namespace {

Value edn(Heap& heap, std::string_view text) {
  const auto value = read_edn(heap, text);
  EXPECT_TRUE(std::holds_alternative<Value>(value)) << text;
  return std::holds_alternative<Value>(value) ? std::get<Value>(value) : Value::nil();
}

// "value" when it fits as it is, "-> value" when it was converted, "!! mismatches" otherwise.
std::string shown(Heap& heap, CoercionResult result) {
  const Owned owner(heap, result.value);
  std::string text;
  append_edn(text, owner.get(), heap);
  if (!result.ok()) return "!! " + mismatch_text(result.mismatches);
  return result.changed ? "-> " + text : text;
}

struct Coercion {
  std::string_view signature, value, result;
};

void expect_cases(std::initializer_list<Coercion> cases, const auto& coerce) {
  for (const Coercion& c : cases) {
    Heap heap;
    EXPECT_EQ(shown(heap, coerce(heap, parsed(c.signature), edn(heap, c.value))), c.result)
        << c.signature << " of " << c.value;
    EXPECT_EQ(heap.live_objects(), 0u) << c.signature << " of " << c.value;
  }
}

CoercionResult coerced(Heap& heap, const Signature& signature, Value taken) {
  return coerce_type(heap, signature.result, taken, "args");
}

CoercionResult bound(Heap& heap, const Signature& signature, Value taken) {
  return bind_arguments(heap, signature, taken);
}

TEST(SignatureCoercion, converts_scalars_where_nothing_is_lost) {
  expect_cases(
      {
          {":int", "5", "5"},
          {":int", "\"5\"", "-> 5"},
          {":int", "\"-12\"", "-> -12"},
          {":int", "\"0\"", "-> 0"},
          {":int", "\"123456789012345678901234567890\"", "-> 123456789012345678901234567890N"},
          {":int", "5.0", "-> 5"},
          {":int", "9007199254740992.0", "-> 9007199254740992"},
          {":float", "2.5", "2.5"},
          {":float", "5", "-> 5.0"},
          {":float", "\"2.5\"", "-> 2.5"},
          {":float", "\"5\"", "-> 5.0"},
          {":float", "\"1e-7\"", "-> 1.0e-7"},
          {":float", "\"0.30000000000000004\"", "-> 0.30000000000000004"},
          {":bool", "true", "true"},
          {":bool", "\"true\"", "-> true"},
          {":bool", "\"false\"", "-> false"},
          {":string", "\"x\"", "\"x\""},
          {":string", ":open", "-> \"open\""},
          {":string", "#date \"2024-01-15\"", "-> \"2024-01-15\""},
          {":keyword", "\"open\"", "-> :open"},
          {":date", "\"2024-01-15\"", "-> #date \"2024-01-15\""},
          {":datetime", "\"2024-01-15T10:00:00Z\"", "-> #inst \"2024-01-15T10:00:00Z\""},
          {":datetime", "\"2024-01-15T10:00:00+02:00\"", "-> #inst \"2024-01-15T08:00:00Z\""},
          {":duration", "\"PT1H30M\"", "-> #duration \"PT1H30M\""},
          {":string", "#duration \"PT1H30M\"", "-> \"PT1H30M\""},
          {":any", "\"5\"", "\"5\""},
          {":int?", "nil", "nil"},
          {":int?", "\"5\"", "-> 5"},
      },
      coerced);
}

TEST(SignatureCoercion, refuses_what_would_lose_something) {
  for (const Coercion& c : std::initializer_list<Coercion>{
           {":int", "1.5", "float"},        {":int", "1.0e300", "float"},       {":int", "-0.0", "float"},
           {":int", "##NaN", "float"},      {":int", "##Inf", "float"},         {":int", "\"007\"", "string"},
           {":int", "\"+5\"", "string"},    {":int", "\" 5\"", "string"},       {":int", "\"5.0\"", "string"},
           {":int", "\"\"", "string"},      {":int", "\"-\"", "string"},        {":int", "\"-0\"", "string"},
           {":int", "\"1e3\"", "string"},   {":int", "true", "bool"},           {":int", "nil", "nil"},
           {":float", "\"x\"", "string"},   {":float", "\"0.12345678901234567890\"", "string"},
           {":float", "\"1e999\"", "string"},                                   {":float", "\"1e-999\"", "string"},
           {":float", "\"NaN\"", "string"}, {":float", "\"1.\"", "string"},     {":float", "\".5\"", "string"},
           {":bool", "\"True\"", "string"}, {":bool", "1", "int"},              {":string", "5", "int"},
           {":string", "true", "bool"},     {":keyword", "\"two words\"", "string"},
           {":keyword", "\"\"", "string"},  {":date", "\"2024-02-30\"", "string"},
           {":date", "\"2024-01-15T10:00:00Z\"", "string"},
           {":datetime", "\"2024-01-15\"", "string"},
           {":datetime", "\"2024-01-15T10:00:00\"", "string"},
           {":datetime", "\"2016-12-31T23:59:60Z\"", "string"},                 {":duration", "5", "int"},
           {":map", "[]", "list"},          {":string", "[]", "list"},
       }) {
    Heap heap;
    EXPECT_EQ(shown(heap, coerced(heap, parsed(c.signature), edn(heap, c.value))),
              "!! args: expected " + std::string(c.signature.substr(1)) + ", got " + std::string(c.result))
        << c.value;
    EXPECT_EQ(heap.live_objects(), 0u);
  }
  expect_cases({{":float", "9007199254740993", "!! args: expected float, got an int that no float holds exactly"}},
               coerced);
}

TEST(SignatureCoercion, goes_into_collections) {
  expect_cases(
      {
          {"[:int]", "[1 \"2\" 3.0]", "-> [1 2 3]"},
          {"[:int]", "#{3 1 2}", "-> [1 2 3]"},
          {"[:int]", "#{\"1\"}", "-> [1]"},
          {"[:any]", "#{3 1}", "-> [1 3]"},
          {"[:int]", "{}", "!! args: expected list, got map"},
          {"[:int]", "\"1\"", "!! args: expected list, got string"},
          {"{items [{id :int}]}", "{\"items\" [{:id 1 :more \"7\"} {:id \"2\"}]}",
           "-> {\"items\" [{:id 1 :more \"7\"} {:id 2}]}"},
          {"{items [{id :int}]}", "{\"items\" [{:id 1} {:id 2} {:id \"x\"}]}",
           "!! args.items[2].id: expected int, got string"},
          {"{user-id :int}", "{:user_id \"4\"}", "-> {:user_id 4}"},
          {"{user_id :int}", "{\"user-id\" \"4\"}", "-> {\"user-id\" 4}"},
          {"{a :int, b :int?}", "{:a 1}", "{:a 1}"},
          {"{a :int, b :int?}", "{:b 1}", "!! args.a: expected int, the field is missing"},
          {"{a {b :bool}}", "{:a {:b \"no\"}}", "!! args.a.b: expected bool, got string"},
          {"[[:date]]", "[[] [\"2024-01-15\"]]", "-> [[] [#date \"2024-01-15\"]]"},
      },
      coerced);
}

TEST(SignatureCoercion, leaves_what_fits_in_place) {
  Heap heap;
  const Signature signature = parsed("{rows [{id :int, at :date?}], name :string}");
  const Value value = edn(heap, "{:rows [{:id 1} {:id 2 :at nil}] :name \"n\"}");
  const std::uint64_t objects = heap.live_objects();
  const CoercionResult result = coerced(heap, signature, value);
  EXPECT_TRUE(result.ok());
  EXPECT_FALSE(result.changed);
  EXPECT_TRUE(same_word(result.value, value));
  EXPECT_EQ(heap.live_objects(), objects);
  heap.release(result.value);
  EXPECT_EQ(heap.live_objects(), 0u);
}

TEST(SignatureCoercion, others_that_hold_a_part_do_not_see_the_change) {
  Heap heap;
  const Value value = edn(heap, "{:a [\"1\" \"2\"]}");
  const Owned other(heap, retained(map_find(value, Value::of(heap.intern("a")))));
  EXPECT_EQ(shown(heap, coerced(heap, parsed("{a [:int]}"), value)), "-> {:a [1 2]}");
  std::string text;
  append_edn(text, other.get(), heap);
  EXPECT_EQ(text, "[\"1\" \"2\"]");
}

TEST(SignatureCoercion, reports_ten_mismatches_at_most) {
  Heap heap;
  std::string text = "[";
  for (int i = 0; i < 1000; ++i) text += "\"x\" ";
  const CoercionResult result = coerced(heap, parsed("[:int]"), edn(heap, text + "]"));
  EXPECT_EQ(result.mismatches.size(), 10u);
  EXPECT_EQ(result.mismatches.back().path, "args[9]");
  heap.release(result.value);
}

// Each level holds the one below twice: 2^30 paths lead to the innermost list.
Value doubled(Heap& heap, Value taken_leaf) {
  Value level = taken_leaf;
  for (int i = 0; i < 30; ++i) {
    const Value pair[] = {retained(level), level};
    level = vector_of(heap, pair);
  }
  return level;
}

TEST(SignatureCoercion, shared_parts_are_walked_and_converted_once) {
  const Signature signature = parsed(std::string(31, '[') + ":int" + std::string(31, ']'));
  Heap heap;
  const Value fits = doubled(heap, edn(heap, "[1]"));
  EXPECT_TRUE(check_type(heap, signature.result, fits, "return").empty());
  const CoercionResult same = coerced(heap, signature, fits);
  EXPECT_TRUE(same.ok() && !same.changed);
  heap.release(same.value);
  const CoercionResult changed = coerced(heap, signature, doubled(heap, edn(heap, "[\"1\"]")));
  EXPECT_TRUE(changed.ok() && changed.changed);
  EXPECT_LT(heap.live_objects(), 100u);
  heap.release(changed.value);
  EXPECT_EQ(heap.live_objects(), 0u);
}

TEST(SignatureCoercion, depth_of_a_value_costs_no_stack) {
  Heap heap;
  Value deep = vector_empty(heap);
  for (int i = 0; i < 1'000'000; ++i) {
    const Value item[] = {deep};
    deep = vector_of(heap, item);
  }
  const CoercionResult result = coerced(heap, parsed("[[:any]]"), deep);
  EXPECT_TRUE(result.ok());
  heap.release(result.value);
}

TEST(BindArguments, binds_by_name) {
  expect_cases(
      {
          {"(q :string, limit :int?) -> :any", "{\"q\" \"x\"}", "{\"q\" \"x\"}"},
          {"(q :string, limit :int?) -> :any", "{\"q\" \"x\" \"limit\" nil}", "{\"limit\" nil \"q\" \"x\"}"},
          {"(q :string, limit :int?) -> :any", "{\"q\" \"x\" \"limit\" \"5\"}", "-> {\"limit\" 5 \"q\" \"x\"}"},
          {"(event-time :date) -> :any", "{\"event_time\" \"2024-01-15\"}",
           "-> {\"event_time\" #date \"2024-01-15\"}"},
          {"(user_id :int) -> :any", "{\"user-id\" 1}", "-> {\"user_id\" 1}"},
          {"(user_id :int) -> :any", "{:user-id 1}", "-> {\"user_id\" 1}"},
          {"() -> :any", "{}", "{}"},
          {":any", "{\"x\" 1}", "{\"x\" 1}"},
      },
      bound);
}

TEST(BindArguments, says_what_is_wrong) {
  expect_cases(
      {
          {"(q :string, limit :int?) -> :any", "{}", "!! args.q: expected string, the argument is missing"},
          {"(q :string, limit :int?) -> :any", "{\"q\" \"x\" \"limti\" 5}",
           "!! args.limti: unknown argument; known are q, limit; did you mean limit?"},
          {"(q :string) -> :any", "{\"q\" \"x\" \"zzzzzz\" 5}", "!! args.zzzzzz: unknown argument; known are q"},
          {"() -> :any", "{\"x\" 1}", "!! args.x: unknown argument; there are none"},
          {"(a_b :int) -> :any", "{\"a_b\" 1 \"a-b\" 2}", "!! args.a-b: the argument is given twice"},
          {"(q :string) -> :any", "{\"q\" 5 \"two words\" 1}",
           "!! args.q: expected string, got int; args.\"two words\": unknown argument; known are q"},
          {"(q :string) -> :any", "{\"q\" \"\" 7 8}",
           "!! args: expected names of arguments, got a key of kind int"},
          {"(q :string) -> :any", "[1]", "!! args: expected a map of arguments by name, got list"},
          {"(items [{id :int}]) -> :any", "{\"items\" [{\"id\" 1} {\"id\" 2} {\"id\" \"x\"}]}",
           "!! args.items[2].id: expected int, got string"},
      },
      bound);
}

TEST(BindArguments, lists_no_more_names_than_a_person_reads) {
  std::string text = "(";
  for (int i = 0; i < 100; ++i) text += "p" + std::to_string(i) + " :int?, ";
  Heap heap;
  const CoercionResult result = bound(heap, parsed(text + "last :int?) -> :any"), edn(heap, "{\"other\" 1}"));
  ASSERT_EQ(result.mismatches.size(), 1u);
  EXPECT_NE(result.mismatches[0].message.find("p19 and 81 more"), std::string::npos) << result.mismatches[0].message;
  heap.release(result.value);
}

}  // namespace
}  // namespace ptc
