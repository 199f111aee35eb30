// The batch protocol from inside; tests/cli looks at it from outside.
#include "tools/ptcvm/batch/batch_request.h"

#include <gtest/gtest.h>

#include "vm/value/utf8.h"

namespace ptcvm::cli {
namespace {

TEST(BatchRequest, answers_are_utf8_whatever_the_id_is) {
  const Engine engine;
  for (const std::string_view rest : {"}", ",\"source\":\"1\"}"}) {
    const std::string answer = answer_request(engine, "{\"id\":[\"a\xff\"]" + std::string(rest));
    EXPECT_TRUE(ptc::utf8_is_valid(answer)) << answer;
    EXPECT_TRUE(answer.starts_with("{\"id\":[\"a\xef\xbf\xbd\"]")) << answer;
  }
}

TEST(BatchRequest, an_id_is_repeated_as_it_was_written) {
  const Engine engine;
  for (const char* id : {"1e400", "12345678901234567890123456", "-0.50", "[1, 1e999]", "{\"a\":{\"b\":1.250}}", "7",
                         "\"x\\\"y\"", "null", "[1,2]"}) {
    for (const char* rest : {",\"source\":\"1\"}", "}", ",\"opts\":{\"id\":3.5},\"source\":\"[1 2]\"}"}) {
      const std::string answer = answer_request(engine, "{ \"id\" : " + std::string(id) + rest);
      EXPECT_TRUE(answer.starts_with("{\"id\":" + std::string(id) + ",")) << answer;
    }
  }
}

TEST(BatchRequest, a_line_of_too_many_values_is_refused) {
  const Engine engine;
  std::string values;
  for (int i = 0; i < 4'000'000; ++i) values += "{},";
  const std::string answer = answer_request(engine, "{\"id\":1,\"source\":\"1\",\"x\":[" + values + "{}]}");
  EXPECT_NE(answer.find("bad_request"), std::string::npos) << answer;
  EXPECT_NE(answer.find("too many values"), std::string::npos) << answer;
  const std::string tools = answer_request(
      engine, "{\"id\":1,\"source\":\"1\",\"tools\":[" + values.substr(0, 3 * 100'001) + "{}]}");
  EXPECT_NE(tools.find("tools must be a list of at most 100000 objects"), std::string::npos) << tools;
}

TEST(BatchRequest, effect_classes_are_those_of_the_table) {
  const Engine engine;
  const auto answer = [&engine](const std::string& effect) {
    return answer_request(engine, R"({"id":1,"source":"1","tool_defs":[{"name":"t","effect":")" + effect + "\"}]}");
  };
  EXPECT_EQ(answer("keyed"), answer("unsafe"));
  EXPECT_EQ(answer(""), answer("unsafe"));
  EXPECT_NE(answer("sometimes").find("effect"), std::string::npos) << answer("sometimes");
}

}  // namespace
}  // namespace ptcvm::cli
