// A stored run goes on by its id: source and data come from its log.
#include <gtest/gtest.h>

#include "ptcvm/ptcvm.hpp"

namespace ptcvm {
namespace {

Tools asking() {
  Tools tools;
  tools.add("ask", "(who :string) -> :string", [](ToolCall& call) { return call.pending(); },
            {.effect = Effect::Idempotent, .mode = ToolMode::Async}).value();
  return tools;
}

}  // namespace

TEST(ContinueStored, NeedsTheIdAlone) {
  const Engine engine;
  Store store = Store::in_memory();
  const Value data = Value::from_edn("{\"who\" \"boss\"}").value();
  StoredOptions options{.id = "r"};
  options.data = data;
  const char* const source = "(str data/who \": \" (await (tool/ask {:who data/who})))";
  const auto begun = run_stored(engine, store, asking(), source, options);
  ASSERT_TRUE(begun);
  ASSERT_EQ(begun->end, StoredEnd::Suspended);

  ASSERT_EQ(continue_stored(engine, store, asking(), {.id = "r"})->end, StoredEnd::Suspended);
  ASSERT_TRUE(store.resolve("r", begun->pending.at(0).key, Value::of("yes")));
  ASSERT_EQ(store.woken(0).value(), std::vector<std::string>{"r"});
  const auto ended = continue_stored(engine, store, asking(), {.id = "r"});
  ASSERT_TRUE(ended);
  EXPECT_EQ(ended->end, StoredEnd::Ended);
  EXPECT_EQ(ended->outcome.value.to_edn(), "\"boss: yes\"");
  EXPECT_EQ(continue_stored(engine, store, asking(), {.id = "r"})->end, StoredEnd::EndedBefore);
}

TEST(ContinueStored, RefusesARunThatWasNeverBegun) {
  const Engine engine;
  Store store = Store::in_memory();
  const auto refused = continue_stored(engine, store, asking(), {.id = "nobody"});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Errc::wrong_state);
  EXPECT_TRUE(store.runs()->empty());
}

}  // namespace ptcvm
