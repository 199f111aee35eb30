#include "fuzz/seed_sources.h"

namespace ptc::fuzz {
namespace {

constexpr std::string_view kEdn[] = {
    "nil", "[1 2.5 \"a\\n\" :k #{1 2} {:a {\"b\" [true false]}}]", "(1 2 3)", "#inst \"2026-11-22T12:30:00Z\"", "1/3",
    "123456789012345678901234567890N", "#\"a+\\d\"", "#ptc/kw \"a b\"", "#ptc/regex \"a\\\\d\"", "#ptc/jdate \"2026\"",
    "{nil 1 true 2 1.0 3}", "[##NaN ##Inf ##-Inf -0.0 1e308]", "#_ 1 2", "; a remark\n[\\a \\newline \\u0041]"};
constexpr std::string_view kJson[] = {
    "null", "[1,2.5,\"a\\n\\u00e9\\ud83d\\ude00\",true,{\"a\":{\"b\":[]}}]", "123456789012345678901234567890", "-0.0",
    "1e400", "{\"a\":1,\"a\":2}", "[[[[[[]]]]]]", "\"\\u0000\"", " { } "};
constexpr std::string_view kSignatures[] = {
    "{name :string, age :int?}", "[:int]", "(q :string, n :int?) -> {id :int, tags [:keyword]}", "() -> :any",
    "{a {b {c [:float]}}}", ":date", "{at :datetime, for :duration?, m :map, ok :bool}", "[{id :int}?]"};
constexpr std::string_view kSchemas[] = {
    R"({"type":"object","properties":{"a":{"type":"integer"},"b":{"type":["string","null"]}},"required":["a"]})",
    R"({"name":"t","inputSchema":{"type":"object","properties":{"q":{"type":"string"}},"required":["q"]},)"
    R"("outputSchema":{"type":"array","items":{"$ref":"#/$defs/x"},"$defs":{"x":{"type":"number"}}}})",
    R"({"function":{"parameters":{"type":"object","properties":{"when":{"type":"string","format":"date-time"}}}}})",
    R"({"anyOf":[{"type":"string"},{"type":"null"}]})", R"({"enum":["a","b"]})", R"({"$ref":"#"})", "true"};
constexpr std::string_view kPatterns[] = {
    "(a+)+b\naaaaaaaaaaaaaaaaaaaac", "(?i)[a-z]{2,5}\\d*\nab12 CD34", "^(\\w+)@(\\w+)\\.com$\nme@here.com",
    "\\p{L}+\naé",
    "(?<year>\\d{4})-(\\d\\d)\n2026-11", "a|b||c\nabc", "[^\\]x]\n]x", "\\Qa.b\\E\na.b", "(?=x)\nx"};
constexpr std::string_view kFormats[] = {
    "%d items, %s\n[3 \"a\"]", "%08.3f|%-10s|%+d\n[3.14159 :k 5]", "%,d %x %o\n[1234567 255 8]",
    "%e %.0f\n[0.00012 2.5]",
    "%%%n%b\n[nil]", "%1$s %2$s\n[1 2]", "%20s\n[[1 {:a 2}]]", "%c\n[\"a\"]", "%.400f\n[1e300]"};
constexpr std::string_view kDates[] = {
    "2026-11-22", "2026-11-22T12:30:00Z", "2026-11-22T12:30:00.123456+02:00", "2026-02-29", "PT1H30M", "P1DT2H3.5S",
    "-PT5S",
    "Wed, 8 Jan 2026 14:30:00 +0200", "Thu Jan 01 00:00:01 GMT 1970", "2026-11-22T24:00:00Z", "+12026-01-01",
    "23:59:60"};

}  // namespace

void add_data_seeds(SeedFolder& seeds) {
  for (const std::string_view text : kEdn) seeds.add("edn", text);
  for (const std::string_view text : kJson) seeds.add("json", text);
  for (const std::string_view text : kSchemas) seeds.add("schema", text);
  for (const std::string_view text : kPatterns) seeds.add("regex", text);
  for (const std::string_view text : kFormats) seeds.add("format", text);
  for (const std::string_view text : kDates) seeds.add("dates", text);
  for (const std::string_view signature : kSignatures) {
    seeds.add("signature", signature);
    for (const std::string_view answer : kJson) {
      seeds.add("tool_results", std::string(signature).append("\n").append(answer));
    }
  }
}

}  // namespace ptc::fuzz
