#include "agents/mcp/mcp_tool.h"

#include <gtest/gtest.h>

#include <boost/json.hpp>

namespace ptcvm::mcp {
namespace {

ToolOffer offered(const std::string& text, const std::string& prefix = "s_") {
  const auto read = read_mcp_tool(boost::json::parse(text), "tools[0]");
  EXPECT_TRUE(std::holds_alternative<McpTool>(read)) << text;
  return offer_of(std::get<McpTool>(read), prefix);
}

TEST(McpTool, schemas_become_a_signature) {
  const ToolOffer offer = offered(R"({"name":"search","description":"Finds pages",
      "inputSchema":{"type":"object","properties":{"q":{"type":"string"},"limit":{"type":"integer"}},"required":["q"]},
      "outputSchema":{"type":"object","properties":{"total":{"type":"integer"}},"required":["total"]}})");
  EXPECT_EQ(offer.name, "s_search");
  EXPECT_EQ(offer.signature, "(q :string, limit :int?) -> {total :int}");
  EXPECT_EQ(offer.description, "Finds pages");
  EXPECT_TRUE(offer.losses.empty());
}

TEST(McpTool, what_a_signature_cannot_say_is_listed_and_told_to_models) {
  const ToolOffer offer = offered(R"({"name":"t","inputSchema":{"type":"object","properties":{
      "unit":{"enum":["day","week"],"description":"The unit of time"},
      "n":{"type":"integer","minimum":1},"tags":{"type":"array","items":{"type":"string","pattern":"a"}}}}})");
  EXPECT_EQ(offer.signature, "(unit :string?, n :int?, tags [:string]?) -> :any");
  EXPECT_EQ(offer.losses, (std::vector<std::string>{"/inputSchema/properties/unit/enum",
                                                    "/inputSchema/properties/n/minimum",
                                                    "/inputSchema/properties/tags/items/pattern"}));
  EXPECT_EQ(offer.description, "unit: one of \"day\", \"week\"; The unit of time");
}

TEST(McpTool, schemas_that_are_no_signature_leave_the_calls_unchecked) {
  const ToolOffer endless = offered(R"({"name":"t","inputSchema":{"type":"object",
      "properties":{"a":{"$ref":"#/$defs/a"}},"$defs":{"a":{"$ref":"#/$defs/a"}}}})");
  EXPECT_EQ(endless.signature, "");
  ASSERT_FALSE(endless.losses.empty());
  EXPECT_TRUE(endless.losses[0].starts_with("/inputSchema: ")) << endless.losses[0];
  const ToolOffer answer = offered(R"({"name":"t","inputSchema":{"type":"object","properties":{"a":{"type":"string"}}},
                                       "outputSchema":{"type":"file"}})");
  EXPECT_EQ(answer.signature, "(a :string?) -> :any");
  EXPECT_TRUE(answer.losses.at(0).starts_with("/outputSchema: ")) << answer.losses[0];
}

TEST(McpTool, names_become_legal) {
  EXPECT_EQ(offered(R"({"name":"repo/list.all","inputSchema":{}})").name, "s_repo_list_all");
  EXPECT_EQ(offered(R"({"name":"größe","inputSchema":{}})", "").name, "gr____e");
}

TEST(McpTool, parameters_with_a_hyphen_are_sent_with_it) {
  const ToolOffer offer = offered(R"({"name":"t","inputSchema":{"type":"object",
      "properties":{"event-id":{"type":"integer"}}}})");
  EXPECT_EQ(offer.renamed, (std::vector<std::pair<std::string, std::string>>{{"event_id", "event-id"}}));
}

struct HintCase {
  const char* annotations;
  Effect effect;
};

TEST(McpTool, only_a_tool_that_reads_may_be_called_again) {
  const HintCase cases[] = {{"{}", Effect::Unsafe},
                            {R"({"readOnlyHint":true})", Effect::Idempotent},
                            {R"({"readOnlyHint":false})", Effect::Unsafe},
                            {R"({"readOnlyHint":true,"destructiveHint":true})", Effect::Unsafe},
                            {R"({"idempotentHint":true})", Effect::Unsafe},
                            {R"({"destructiveHint":false,"idempotentHint":true})", Effect::Unsafe}};
  for (const HintCase& one : cases) {
    const std::string text = std::string(R"({"name":"t","inputSchema":{},"annotations":)") + one.annotations + "}";
    EXPECT_EQ(offered(text).effect, one.effect) << one.annotations;
  }
}

TEST(McpTool, a_long_description_is_cut_between_characters) {
  std::string text;
  for (int i = 0; i < 5000; ++i) text += "é";
  const ToolOffer offer = offered(R"({"name":"t","inputSchema":{},"description":")" + text + "\"}");
  EXPECT_EQ(offer.description.size(), 4096u + std::string("…").size());
}

}  // namespace
}  // namespace ptcvm::mcp
