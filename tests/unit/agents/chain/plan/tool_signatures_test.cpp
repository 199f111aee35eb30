#include "agents/chain/plan/tool_signatures.h"

#include <gtest/gtest.h>

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

namespace ptcvm::chain {
namespace {

namespace json = boost::json;

ToolSignatures signatures() {
  ChainTool put;
  put.name = "put";
  put.signature = "(dir-name :string, n :int?) -> {id :int}";
  ChainTool any;
  any.name = "any";
  return ToolSignatures::of({put, any}).value();
}

PlanStep step(std::string_view args, std::string tool = "put") {
  PlanStep made;
  made.tool = std::move(tool);
  made.args = json::parse(args).as_object();
  return made;
}

TEST(ToolSignatures, NamesWhatDoesNotFitAPlan) {
  const ToolSignatures known = signatures();
  for (const char* const good : {R"({"dir-name":"x"})", R"({"dir_name":"x","n":1})", R"({"dir-name":"x","n":"7"})",
                                 R"({"dir-name":{"$result":"a"}})", R"({"dir-name":"x","n":[{"$result":"a"}]})"}) {
    EXPECT_EQ(known.planned_fault(step(good)), "") << good;
  }
  for (const char* const bad : {"{}", R"({"dir-name":1})", R"({"dir-name":"x","m":1})", R"({"dir-name":"x","n":"y"})",
                                R"({"n":{"$result":"a"}})", R"({"dir-name":7,"n":{"$result":"a"}})"}) {
    EXPECT_NE(known.planned_fault(step(bad)).find("the signature of put is (dir-name :string"), std::string::npos)
        << bad << known.planned_fault(step(bad));
  }
  EXPECT_EQ(known.planned_fault(step(R"({"whatever":1})", "any")), "");
}

TEST(ToolSignatures, ConvertsArgumentsAndKeepsTheirNamesAndOrder) {
  const auto args = signatures().args_of(step(R"({"n":"7","dir-name":"x"})"), json::parse(R"({"n":"7","dir_name":"x"})")
                                                                                  .as_object());
  EXPECT_EQ(json::serialize(std::get<json::object>(args)), R"({"n":7,"dir-name":"x"})");
  const auto wrong = signatures().args_of(step(R"({"dir-name":{"$result":"a"}})"), json::parse(R"({"dir_name":5})")
                                                                                       .as_object());
  EXPECT_TRUE(std::get<std::string>(wrong).starts_with("ARGUMENTS_INVALID: args.")) << std::get<std::string>(wrong);
}

TEST(ToolSignatures, TakesAnAnswerThatFitsItsSignatureAndLimit) {
  json::value good = json::parse(R"({"id":"3","more":1})"), bad = "x";
  EXPECT_EQ(signatures().fit_output("put", good, 100), "");
  EXPECT_EQ(good.at("id"), 3);
  EXPECT_TRUE(signatures().fit_output("put", bad, 100).starts_with("ANSWER_INVALID: answer: "));
  EXPECT_EQ(signatures().fit_output("any", bad, 0), "OUTPUT_TOO_LARGE: the output has 1 bytes; at most 0 are taken");
}

TEST(ToolSignatures, NamesTheToolWhoseSignatureCannotBeRead) {
  ChainTool tool;
  tool.name = "odd";
  tool.signature = "(n :nomber)";
  EXPECT_TRUE(ToolSignatures::of({tool}).error().message.starts_with("the tool odd: "));
}

}  // namespace
}  // namespace ptcvm::chain
