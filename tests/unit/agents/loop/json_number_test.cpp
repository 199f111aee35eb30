// Numbers of JSON that are too large for a value.
#include "agents/loop/json_number.h"

#include <gtest/gtest.h>

#include "agents/loop/agent_run.h"

namespace ptcvm::loop {
namespace {

TEST(JsonNumberTest, a_number_beyond_the_largest_float_is_named) {
  EXPECT_EQ(json_number_fault("1e999"), "invalid JSON number: 1e999 is beyond the largest float");
  EXPECT_EQ(json_number_fault(R"({"a": [1, -2.5E+400]})"),
            "invalid JSON number: -2.5E+400 is beyond the largest float");
  EXPECT_EQ(json_number_fault("[" + std::string(400, '9') + "]"), "");   // an exact integer
  for (const char* const end : {".5", "e1"}) {
    EXPECT_NE(json_number_fault("[-" + std::string(400, '9') + end + "]"), "") << end;
  }
  EXPECT_LT(json_number_fault(std::string(100'000, '9') + "e1").size(), 100u);
}

TEST(JsonNumberTest, every_other_text_is_right) {
  for (const char* const text : {"", "1", "1e308", "-1.7976931348623157e308", "1e-999", "0e999", R"("1e999")",
                                 R"({"1e999\"": "\\", "a\"1e999": 2})", "\"", "\"\\", "-", "1e", "[1,2e2]", "e999"}) {
    EXPECT_EQ(json_number_fault(text), "") << text;
  }
  EXPECT_EQ(json_number_fault(std::string(308, '9')), "");
}

TEST(JsonNumberTest, data_with_such_a_number_is_refused) {
  const Engine engine;
  const Agent agent = Agent::make(engine, read_agent_text(R"({"prompt": "P"})").value()).value();
  const auto run = AgentRun::start(agent, {.data_json = R"({"x": 1e999})"});
  ASSERT_FALSE(run);
  EXPECT_EQ(run.error().code, Errc::invalid_value);
  EXPECT_EQ(run.error().message, "the data has an invalid JSON number: it is beyond the largest float");
  const std::string long_one = R"({"x": )" + std::string(400, '9') + "}";
  EXPECT_EQ(AgentRun::start_again(agent, {.data_json = long_one}).error().code, Errc::invalid_value);
}

}  // namespace
}  // namespace ptcvm::loop
