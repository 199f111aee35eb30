#include "agents/chain/check/schema_check.h"

#include <gtest/gtest.h>

#include <boost/json/parse.hpp>

namespace ptcvm::chain {
namespace {

std::string mismatch(std::string_view document, std::string_view schema) {
  return schema_mismatch(boost::json::parse(document), boost::json::parse(schema)).value_or("");
}

TEST(SchemaCheck, NamesWhatDoesNotFit) {
  EXPECT_EQ(mismatch("3", R"({"type":"integer"})"), "");
  EXPECT_EQ(mismatch("3.0", R"({"type":"integer"})"), "");
  EXPECT_EQ(mismatch("3.5", R"({"type":["integer","null"]})"), R"(expected ["integer","null"])");
  EXPECT_EQ(mismatch(R"({"a":[1,"x"]})", R"({"properties":{"a":{"items":{"type":"number"}}}})"),
            "at /a/1: expected number");
  EXPECT_EQ(mismatch(R"({"b":1})", R"({"required":["a"]})"), "\"a\" is missing");
  EXPECT_EQ(mismatch(R"({"b":1})", R"({"additionalProperties":false})"), "unknown member \"b\"");
  EXPECT_EQ(mismatch(R"({"b":1})", R"({"properties":{"b":true},"additionalProperties":false})"), "");
  EXPECT_EQ(mismatch("\"äö\"", R"({"maxLength":1})"), "maxLength is 1, got 2");
  EXPECT_EQ(mismatch("[1,2]", R"({"minItems":3})"), "minItems is 3, got 2");
  EXPECT_EQ(mismatch("[1,2,1.0]", R"({"uniqueItems":true})"), "two equal items: 0 and 2");
  EXPECT_EQ(mismatch("[1,\"x\"]", R"({"prefixItems":[true],"items":{"type":"string"}})"), "");
  EXPECT_EQ(mismatch("4", R"({"minimum":4,"exclusiveMaximum":4})"), "exclusiveMaximum is 4, got 4");
  EXPECT_EQ(mismatch("\"abc\"", R"({"pattern":"^b"})"), "does not match \"^b\"");
  EXPECT_EQ(mismatch("1", R"({"enum":[2,3]})"), "expected one of [2,3]");
  EXPECT_EQ(mismatch("1", R"({"const":1.0})"), "");
}

TEST(SchemaCheck, JoinsSchemas) {
  constexpr std::string_view kEither = R"({"anyOf":[{"type":"string"},{"minimum":5,"type":"number"}]})";
  EXPECT_EQ(mismatch("7", kEither), "");
  EXPECT_EQ(mismatch("3", kEither), "fits no part of anyOf");
  EXPECT_EQ(mismatch("3", R"({"oneOf":[{"type":"integer"},{"type":"number"}]})"), "fits 2 parts of oneOf");
  EXPECT_EQ(mismatch("3", R"({"not":{"type":"integer"}})"), "fits what is under not");
  EXPECT_EQ(mismatch("3", R"({"allOf":[{"type":"integer"},{"maximum":2}]})"), "maximum is 2, got 3");
  EXPECT_EQ(mismatch(R"({"next":{"next":{}}})", R"({"properties":{"next":{"$ref":"#"}},"maxProperties":1})"), "");
  EXPECT_EQ(mismatch(R"([[1]])", R"({"items":{"$ref":"#/$defs/l"},"$defs":{"l":{"type":"array"}}})"), "");
}

TEST(SchemaCheck, RefusesSchemasThatDecideNothing) {
  EXPECT_EQ(mismatch("1", "7"), "a schema is an object, true or false");
  EXPECT_EQ(mismatch("1", R"({"$ref":"#"})"), "schemas are nested too deeply");
  EXPECT_EQ(mismatch("1", R"({"not":{"$ref":"#/a"}})"), "$ref names nothing: #/a");
  EXPECT_EQ(mismatch("1", R"({"anyOf":[{"if":true},true]})"), "the word if is not known here");
  EXPECT_EQ(mismatch("\"a\"", R"({"pattern":"["})").substr(0, 27), "pattern is no pattern of RE");
}

TEST(SchemaCheck, BoundsItsWork) {
  // Each level doubles the work.
  std::string schema = "{\"$defs\":{\"d0\":{\"type\":\"string\"}";
  for (int i = 1; i < 40; ++i) {
    const std::string below = "{\"$ref\":\"#/$defs/d" + std::to_string(i - 1) + "\"}";
    schema += ",\"d" + std::to_string(i) + "\":{\"anyOf\":[" + below + "," + below + "]}";
  }
  EXPECT_EQ(mismatch("1", schema + "},\"$ref\":\"#/$defs/d25\"}"), "too much work");
  std::string list = "[0";
  for (int i = 1; i < 20'000; ++i) list += "," + std::to_string(i);
  EXPECT_EQ(mismatch(list + "]", R"({"uniqueItems":true})"), "too much work");
}

}  // namespace
}  // namespace ptcvm::chain
