// Signatures: reading, writing, and the exact paths of what does not fit.
#include "runtime/signature/signature.h"

#include <gtest/gtest.h>

#include "runtime/text/edn.h"
#include "tests/unit/runtime/signature/parsed_signature.h"

namespace ptc {
namespace {

TEST(Signature, writes_what_it_read) {
  for (const std::string_view text :
       {":int", ":int?", "[:int]", "[[:string]]", "{name :string, age :int?}", "() -> :any", "{}", ":datetime",
        "(q :string) -> {id :int}", "(query :string, k :int) -> [:map]", "[{at :date, took :duration}]?"}) {
    EXPECT_EQ(render_signature(parsed(text)), text);
  }
  EXPECT_EQ(render_signature(parsed("(a, b {c [:number]})->:boolean")), "(a :any, b {c [:float]}) -> :bool");
}

TEST(Signature, refuses_other_text) {
  for (const std::string_view text :
       {"", "(", "invalid syntax", "not a valid signature", ":unknown", "[:int", "[]", "{name :string", "(q :string)",
        "{:name :string}", ":int :int", "{a :int b :int}"}) {
    EXPECT_TRUE(std::holds_alternative<SignatureError>(parse_signature(text))) << text;
  }
  EXPECT_TRUE(std::holds_alternative<SignatureError>(parse_signature(std::string(1000, '['))));
}

struct Check {
  std::string_view signature, value, mismatches;
};

TEST(Signature, names_what_does_not_fit) {
  for (const Check& c : std::initializer_list<Check>{
           {":int", "42", ""},
           {":int", "123456789012345678901234567890", ""},
           {":int", "1.5", "return: expected int, got float"},
           {":float", "1", ""},
           {":int?", "nil", ""},
           {":int", "nil", "return: expected int, got nil"},
           {":any", "nil", ""},
           {":bool", "false", ""},
           {":string", ":a", "return: expected string, got keyword"},
           {"[:int]", "[1 2 3]", ""},
           {"[:int]", "[1 \"a\" 3]", "return[1]: expected int, got string"},
           {"[:int]", "{}", "return: expected list, got map"},
           {"{name :string, age :int?}", "{:name \"A\"}", ""},
           {"{name :string, age :int?}", "{:name \"A\" :age nil :more 1}", ""},
           {"{name :string}", "{}", "return.name: expected string, the field is missing"},
           {"{user-id :int}", "{:user_id 42}", ""},
           {"{user_id :int}", "{:user-id 42}", ""},
           {"{user_id :int}", "{\"user_id\" 42}", ""},
           {"{items [{id :int}]}", "{:items [{:id 1} {:id \"x\"} {}]}",
            "return.items[1].id: expected int, got string; return.items[2].id: expected int, the field is missing"},
           {"() -> :map", "{}", ""},
       }) {
    Heap heap;
    const auto value = read_edn(heap, c.value);
    ASSERT_TRUE(std::holds_alternative<Value>(value)) << c.value;
    {
      const Owned owner(heap, std::get<Value>(value));
      EXPECT_EQ(mismatch_text(check_type(heap, parsed(c.signature).result, owner.get(), "return")), c.mismatches)
          << c.signature << " of " << c.value;
    }
    EXPECT_EQ(heap.live_objects(), 0u);
  }
}

}  // namespace
}  // namespace ptc
