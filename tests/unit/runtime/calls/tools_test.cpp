// Tool registry: names, folding, and what counts as data.
#include "runtime/calls/tools.h"

#include <gtest/gtest.h>

#include "runtime/text/edn.h"

namespace ptc {
namespace {

ToolDefinition named(std::string name) {
  ToolDefinition definition;
  definition.name = std::move(name);
  return definition;
}

ToolReply nothing(const ToolCall&) { return {}; }

TEST(ToolRegistry, prefers_the_exact_name) {
  ToolRegistry tools;
  tools.add(named("get_user"), nothing);
  tools.add(named("get-user"), nothing);
  tools.add(named("list_all"), nothing);
  EXPECT_EQ(tools.find("get-user")->definition.name, "get-user");
  EXPECT_EQ(tools.find("get_user")->definition.name, "get_user");
  EXPECT_EQ(tools.find("list-all")->definition.name, "list_all");
  EXPECT_EQ(tools.find("LIST_ALL"), nullptr);
  EXPECT_EQ(tools.names(), (std::vector<std::string_view>{"get-user", "get_user", "list_all"}));
}

TEST(ToolRegistry, replaces_a_tool_of_the_same_name) {
  ToolRegistry tools;
  tools.add(named("a"), nothing);
  ToolDefinition cached = named("a");
  cached.cache = true;
  tools.add(std::move(cached), nothing);
  EXPECT_EQ(tools.names().size(), 1u);
  EXPECT_TRUE(tools.find("a")->definition.cache);
}

TEST(ToolRegistry, tells_what_there_is) {
  ToolRegistry tools;
  EXPECT_EQ(unknown_tool_message("x", tools), "Unknown tool: x. No tools available.");
  tools.add(named("b"), nothing);
  tools.add(named("a"), nothing);
  EXPECT_EQ(unknown_tool_message("x", tools), "Unknown tool: x. Available tools: a, b");
}

TEST(PlainData, is_everything_but_functions_and_times) {
  for (const auto& [text, plain] : std::initializer_list<std::pair<std::string_view, bool>>{
           {"nil", true},
           {"[1 2.5 \"s\" :k true {\"a\" #{1 2}}]", true},
           {"##NaN", true},
           {"#ptc/instant \"2024-01-02T03:04:05Z\"", false},
           {"{\"at\" [#ptc/date \"2024-01-02\"]}", false},
       }) {
    Heap heap;
    const auto value = read_edn(heap, text);
    ASSERT_TRUE(std::holds_alternative<Value>(value)) << text;
    const Owned owner(heap, std::get<Value>(value));
    EXPECT_EQ(is_plain_data(heap, owner.get()), plain) << text;
  }
}

}  // namespace
}  // namespace ptc
