// JSON Schema of signatures, and signatures of JSON Schema: what definitions of tools use, and hostile documents.
#include "runtime/signature/json_schema.h"

#include <gtest/gtest.h>

#include "tests/unit/runtime/signature/parsed_signature.h"
#include "tests/unit/runtime/signature/random_signature.h"

namespace ptc {
namespace {

// The signature as text, or "pointer: message".
std::string read_back(std::string_view schema) {
  const auto read = signature_from_json_schema(schema);
  if (const auto* error = std::get_if<JsonSchemaError>(&read)) return "!! " + error->pointer + ": " + error->message;
  return render_signature(std::get<Signature>(read));
}

struct Translation {
  std::string_view from, to;
};

TEST(JsonSchema, of_types) {
  for (const Translation& c : std::initializer_list<Translation>{
           {":any", "{}"},
           {":int", R"({"type":"integer"})"},
           {":float?", R"({"type":["number","null"]})"},
           {":keyword", R"({"type":"string","format":"keyword"})"},
           {":datetime", R"({"type":"string","format":"date-time"})"},
           {":map", R"({"type":"object"})"},
           {"[[:bool]]", R"({"type":"array","items":{"type":"array","items":{"type":"boolean"}}})"},
           {"{}", R"({"type":"object","properties":{},"additionalProperties":true})"},
           {"{z :string, user-id :int?, b :any?}",
            R"({"type":"object","properties":{"z":{"type":"string"},"user-id":{"type":["integer","null"]},"b":{}},)"
            R"("required":["z"],"additionalProperties":true})"},
       }) {
    EXPECT_EQ(json_schema_of(parsed(c.from).result), c.to);
  }
}

TEST(JsonSchema, of_a_signature_names_arguments_as_they_cross) {
  EXPECT_EQ(json_schema_of(parsed("(event-time :date, rows [{row-id :int}]?) -> :bool")),
            R"({"inputSchema":{"type":"object","properties":{"event_time":{"type":"string","format":"date"},)"
            R"("rows":{"type":["array","null"],"items":{"type":"object","properties":{"row_id":{"type":"integer"}},)"
            R"("required":["row_id"],"additionalProperties":true}}},"required":["event_time"],)"
            R"("additionalProperties":false},"outputSchema":{"type":"boolean"}})");
  EXPECT_EQ(json_schema_of(parsed(":bool")), R"({"outputSchema":{"type":"boolean"}})");
}

void fold_names(std::vector<SignatureField>& fields);

void fold_names(SignatureType& type) {
  fold_names(type.fields);
  for (SignatureType& element : type.element) fold_names(element);
}

void fold_names(std::vector<SignatureField>& fields) {
  for (SignatureField& field : fields) {
    for (char& c : field.name) c = c == '-' ? '_' : c;
    fold_names(field.type);
  }
}

TEST(JsonSchema, reads_everything_that_is_written) {
  for (std::uint32_t seed = 0; seed < 2'000; ++seed) {
    Signature signature = RandomSignature(seed).make();
    const auto type = type_from_json_schema(json_schema_of(signature.result));
    ASSERT_TRUE(std::holds_alternative<SignatureType>(type)) << seed << ' ' << render_type(signature.result);
    EXPECT_EQ(render_type(std::get<SignatureType>(type)), render_type(signature.result));
    const std::string whole = json_schema_of(signature);
    fold_names(signature.params);
    EXPECT_EQ(read_back(whole), render_signature(signature)) << seed;
  }
}

TEST(JsonSchema, of_definitions_of_tools) {
  for (const Translation& c : std::initializer_list<Translation>{
           {R"({"name":"search","description":"d","inputSchema":{"type":"object","properties":{
                 "q":{"type":"string","description":"what","minLength":1},"limit":{"type":"integer","default":10}},
                 "required":["q"],"$schema":"https://json-schema.org/draft/2020-12/schema"}})",
            "(q :string, limit :int?) -> :any"},
           {R"({"name":"t","input_schema":{"type":"object","properties":{}}})", "() -> :any"},
           {R"({"name":"t","input_schema":{"type":"object"}})", ":any"},
           {R"({"name":"t","input_schema":{"type":"object","additionalProperties":false}})", "() -> :any"},
           {R"({"type":"function","function":{"name":"t","parameters":{"type":"object","properties":{
                 "unit":{"type":"string","enum":["c","f"]}},"required":["unit"],"additionalProperties":false}}})",
            "(unit :string) -> :any"},
           {R"({"inputSchema":{"type":"object","properties":{"p":{"$ref":"#/$defs/P"}},"required":["p"],
                 "$defs":{"P":{"type":"object","properties":{"x":{"type":"number"}},"required":["x"]}}},
                 "outputSchema":{"type":"array","items":{"type":"boolean"}}})",
            "(p {x :float}) -> [:bool]"},
       }) {
    EXPECT_EQ(read_back(c.from), c.to) << c.from;
  }
}

TEST(JsonSchema, reads_the_subset_that_people_write) {
  for (const Translation& c : std::initializer_list<Translation>{
           {"true", ":any"},
           {"{}", ":any"},
           {R"({"description":"x"})", ":any"},
           {R"({"type":["string","null"]})", ":string?"},
           {R"({"type":"string","nullable":true})", ":string?"},
           {R"({"type":["integer","number"]})", ":float"},
           {R"({"type":["integer","string"]})", ":any"},
           {R"({"type":["integer","string","null"]})", ":any?"},
           {R"({"type":["null","integer","string","boolean"]})", ":any?"},
           {R"({"anyOf":[{"type":["null","integer","string"]},{"type":"boolean"}]})", ":any?"},
           {R"({"enum":[null,1,"a",true]})", ":any?"},
           {R"({"enum":[null]})", ":any?"},
           {R"({"type":"null"})", ":any?"},
           {R"({"type":"string","format":"email"})", ":string"},
           {R"({"type":"string","format":"duration"})", ":duration"},
           {R"({"type":"array"})", "[:any]"},
           {R"({"type":"array","prefixItems":[{"type":"integer"}],"items":{"type":"string"}})", "[:any]"},
           {R"({"items":{"type":"integer"}})", "[:int]"},
           {R"({"properties":{"a":{}},"required":["a"]})", "{a :any}"},
           {R"({"type":"object","properties":{"a":{}},"required":["b"]})", "{a :any?, b :any}"},
           {R"({"type":"object","properties":{"a b":{}}})", ":map"},
           {R"({"type":"object","properties":{"a-b":{},"a_b":{}}})", ":map"},
           {R"({"enum":["a","b"]})", ":string"},
           {R"({"enum":["a",null]})", ":string?"},
           {R"({"enum":[1,2.5]})", ":float"},
           {R"({"enum":[1,"a"]})", ":any"},
           {R"({"const":"a"})", ":string"},
           {R"({"const":true})", ":bool"},
           {R"({"const":null})", ":any?"},
           {R"({"anyOf":[{"type":"integer"},{"type":"null"}]})", ":int?"},
           {R"({"anyOf":[{"type":"null"},{"type":"integer"}]})", ":int?"},
           {R"({"oneOf":[{"type":"integer"},{"type":"string"}]})", ":any"},
           {R"({"oneOf":[{"type":"object"},{"type":"object","properties":{"a":{}}}]})", ":map"},
           {R"({"type":"object","properties":{"a":{"type":"integer"}},"anyOf":[{"required":["a"]}]})", "{a :int?}"},
           {R"({"allOf":[{"$ref":"#/$defs/a"}],"$defs":{"a":{"type":"integer"}}})", ":int"},
           {R"({"allOf":[{},{"type":"integer"},{"minimum":1}]})", ":int"},
           {R"({"$ref":"#/definitions/a~1b","definitions":{"a/b":{"type":"boolean"}}})", ":bool"},
           {R"({"type":"array","items":{"$ref":"#/$defs/a"},"$defs":{"a":{"$ref":"#/$defs/b"},"b":{"type":"string"}}})",
            "[:string]"},
       }) {
    EXPECT_EQ(read_back(c.from), c.to) << c.from;
  }
}

TEST(JsonSchema, errors_point_to_the_place) {
  for (const Translation& c : std::initializer_list<Translation>{
           {"", "!! : no JSON: "},
           {"{", "!! : no JSON: "},
           {"1", "!! : expected a schema, an object"},
           {"false", "!! : nothing fits the schema false"},
           {R"({"type":"file"})", "!! /type: unknown type \"file\""},
           {R"({"type":1})", "!! /type: expected the name of a type, or a list of names"},
           {R"({"type":[]})", "!! /type: expected the name of a type"},
           {R"({"type":"object","properties":{"a/b~c":{"type":"array","items":{"type":"x"}}}})",
            "!! /properties/a~1b~0c/items/type: unknown type \"x\""},
           {R"({"type":"object","properties":[]})", "!! /properties: expected an object"},
           {R"({"type":"object","properties":{},"required":[1]})", "!! /required: expected a list of names"},
           {R"({"enum":[]})", "!! /enum: expected a list of values"},
           {R"({"anyOf":[{"type":"integer"},3]})", "!! /anyOf/1: expected a schema, an object"},
           {R"({"$ref":"other.json"})", "!! /$ref: only definitions of the same document"},
           {R"({"$ref":"#/$defs/a"})", "!! /$ref: there is no such definition"},
           {R"({"$ref":"#/$defs/a","$defs":{"a":{"type":"array","items":{"$ref":"#/$defs/a"}}}})",
            "!! /items/$ref: the definition leads back to itself"},
           {R"({"inputSchema":{"type":"string"}})", "!! /inputSchema: the arguments must be an object"},
           {R"({"inputSchema":{"type":"object","properties":{"a b":{}}}})",
            "!! /inputSchema/properties: there are too many parameters, or one has a name that"},
           {R"({"inputSchema":{"type":"object","properties":{"a":{}},"additionalProperties":{"type":"string"}}})",
            "!! /inputSchema/additionalProperties: further arguments"},
           {R"({"function":{"parameters":{"type":"object","properties":{"a":{"type":"x"}}}}})",
            "!! /function/parameters/properties/a/type: unknown type"},
       }) {
    EXPECT_EQ(read_back(c.from).substr(0, c.to.size()), c.to) << c.from;
  }
}

std::string repeated(std::string_view text, std::size_t count) {
  std::string out;
  for (std::size_t i = 0; i < count; ++i) out += text;
  return out;
}

TEST(JsonSchema, hostile_documents_are_bounded) {
  EXPECT_EQ(read_back(std::string(kMaxJsonSchemaBytes + 1, ' ')), "!! : the schema is longer than 1048576 bytes");
  EXPECT_EQ(read_back(repeated(R"({"items":)", 100'000)), "!! : the schema is nested too deep");
  EXPECT_NE(read_back(repeated(R"({"items":)", 33) + "{}" + repeated("}", 33)).find("deeper than 32"),
            std::string::npos);
  EXPECT_EQ(read_back(repeated(R"({"items":)", 32) + "{}" + repeated("}", 32)),
            repeated("[", 32) + ":any" + repeated("]", 32));

  // Each definition leads to the next one twice: 2^30 types.
  std::string doubling = R"({"$ref":"#/$defs/0","$defs":{)";
  for (int i = 0; i < 30; ++i) {
    const std::string next = R"({"$ref":"#/$defs/)" + std::to_string(i + 1) + R"("})";
    doubling += '"' + std::to_string(i) + R"(":{"properties":{"a":)" + next + R"(,"b":)" + next + "}},";
  }
  EXPECT_NE(read_back(doubling + R"("30":{}}})").find("more than 10000 types"), std::string::npos);

  // Schemas inside of schemas that are no deeper type, in a chain of definitions.
  std::string chain = R"({"$ref":"#/$defs/0","$defs":{)";
  for (int i = 0; i < 100; ++i) {
    chain += '"' + std::to_string(i) + "\":" + repeated(R"({"anyOf":[)", 100) + R"({"$ref":"#/$defs/)" +
             std::to_string(i + 1) + "\"}" + repeated("]}", 100) + ',';
  }
  EXPECT_NE(read_back(chain + R"("100":{}}})").find("nested too deep"), std::string::npos);

  // A long list that is looked at again and again.
  std::string again = R"({"$defs":{"e":{"enum":[)" + repeated("1,", 100'000) + R"(1]}},"type":"object","properties":{)";
  for (int i = 0; i < 900; ++i) again += "\"p" + std::to_string(i) + R"(":{"$ref":"#/$defs/e"},)";
  EXPECT_NE(read_back(again + R"("z":{}}})").find("too large"), std::string::npos);

  const std::string long_name(50'000, 'x');
  const std::string inner = R"({"properties":{")" + long_name + R"(":{}}})";
  const std::string outer = R"({"type":"object","properties":{")" + long_name + R"(":{},"b":)" + inner + "}}";
  EXPECT_EQ(read_back(outer), "!! : the signature would be longer than one may be");

  std::string wide = R"({"type":"object","properties":{)";
  for (int i = 0; i < 2'000; ++i) wide += "\"p" + std::to_string(i) + "\":{},";
  EXPECT_EQ(read_back(wide + R"("z":{}}})"), ":map");
}

// Whatever is read can be written as text and read again.
TEST(JsonSchema, changed_documents_are_refused_or_read_as_a_signature) {
  std::size_t good = 0;
  for (std::uint32_t seed = 0; seed < 3'000; ++seed) {
    std::mt19937 random(seed);
    std::string document = json_schema_of(RandomSignature(seed).make());
    const std::size_t at = random() % document.size(), size = random() % 12, from = random() % document.size();
    document.replace(at, random() % 6, document.substr(from, size));
    const auto read = signature_from_json_schema(document);
    if (!std::holds_alternative<Signature>(read)) continue;
    ++good;
    const auto again = parse_signature(render_signature(std::get<Signature>(read)));
    ASSERT_TRUE(std::holds_alternative<Signature>(again)) << document;
    EXPECT_TRUE(std::get<Signature>(again) == std::get<Signature>(read)) << document;
  }
  EXPECT_GT(good, 50u);
}

}  // namespace
}  // namespace ptc
