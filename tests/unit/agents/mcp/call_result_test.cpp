#include "agents/mcp/call_result.h"

#include <gtest/gtest.h>

#include <boost/json.hpp>

namespace ptcvm::mcp {
namespace {

struct ResultCase {
  const char* result;
  bool is_error;
  const char* text;
};

TEST(CallResult, structured_content_comes_before_text_and_text_before_blocks) {
  const ResultCase cases[] = {
      {R"({"content":[]})", false, "null"},
      {R"({"content":[{"type":"text","text":"a"}]})", false, R"("a")"},
      {R"({"content":[{"type":"text","text":"a"},{"type":"text","text":"b"}]})", false, R"("a\nb")"},
      {R"({"content":[{"type":"text","text":"{}"}],"structuredContent":{"n":1}})", false, R"({"n":1})"},
      {R"({"structuredContent":{"n":1}})", false, R"({"n":1})"},
      {R"({"content":[{"type":"text","text":"a"},{"type":"image","data":"AA==","mimeType":"image/png"}]})", false,
       R"([{"type":"text","text":"a"},{"type":"image","data":"AA==","mimeType":"image/png"}])"},
      {R"({"content":[{"type":"text","text":"broken"}],"isError":true})", true, "broken"},
      {R"({"content":[],"structuredContent":{"why":"x"},"isError":true})", true, R"({"why":"x"})"},
      {R"({"content":[{"type":"image"}],"isError":true})", true, R"([{"type":"image"}])"}};
  for (const ResultCase& one : cases) {
    const auto read = read_call_result(boost::json::parse(one.result));
    ASSERT_TRUE(std::holds_alternative<CallResult>(read)) << one.result;
    EXPECT_EQ(std::get<CallResult>(read).is_error, one.is_error) << one.result;
    EXPECT_EQ(std::get<CallResult>(read).text, one.text) << one.result;
  }
}

}  // namespace
}  // namespace ptcvm::mcp
