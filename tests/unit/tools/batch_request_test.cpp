// The batch protocol from inside; tests/cli looks at it from outside.
#include "tools/ptcvm/batch_request.h"

#include <gtest/gtest.h>

#include "vm/value/utf8.h"

namespace ptcvm::cli {
namespace {

TEST(BatchRequest, answers_are_utf8_whatever_the_id_is) {
  const ptc::Engine engine;
  for (const std::string_view rest : {"}", ",\"source\":\"1\"}"}) {
    const std::string answer = answer_request(engine, "{\"id\":[\"a\xff\"]" + std::string(rest));
    EXPECT_TRUE(ptc::utf8_is_valid(answer)) << answer;
    EXPECT_TRUE(answer.starts_with("{\"id\":[\"a\xef\xbf\xbd\"]")) << answer;
  }
}

TEST(BatchRequest, effect_classes_are_those_of_the_table) {
  const ptc::Engine engine;
  const auto answer = [&engine](const std::string& effect) {
    return answer_request(engine, R"({"id":1,"source":"1","tool_defs":[{"name":"t","effect":")" + effect + "\"}]}");
  };
  EXPECT_EQ(answer("keyed"), answer("unsafe"));
  EXPECT_EQ(answer(""), answer("unsafe"));
  EXPECT_NE(answer("sometimes").find("effect"), std::string::npos) << answer("sometimes");
}

}  // namespace
}  // namespace ptcvm::cli
