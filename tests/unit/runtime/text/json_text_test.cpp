// JSON string literals.
#include "runtime/text/json_text.h"

#include <gtest/gtest.h>

namespace ptc {
namespace {

std::string literal(std::string_view text) {
  std::string out;
  append_json_string(out, text);
  return out;
}

TEST(JsonText, escapes_what_json_asks_for) {
  EXPECT_EQ(literal(""), "\"\"");
  EXPECT_EQ(literal("a\"b\\c/d"), "\"a\\\"b\\\\c/d\"");
  EXPECT_EQ(literal("\n\r\t\x01\x1f"), "\"\\n\\r\\t\\u0001\\u001f\"");
  EXPECT_EQ(literal(std::string_view("\0", 1)), "\"\\u0000\"");
  EXPECT_EQ(literal("é日👍"), "\"é日👍\"");
}

TEST(JsonText, replaces_malformed_utf8) {
  EXPECT_EQ(literal("a\xff" "b"), "\"a\xef\xbf\xbd" "b\"");
  EXPECT_EQ(literal("\xed\xa0\x80"), "\"\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\"");   // a surrogate
  EXPECT_EQ(literal("\xc0\x80"), "\"\xef\xbf\xbd\xef\xbf\xbd\"");                   // overlong
  EXPECT_EQ(literal("x\xe6\x97"), "\"x\xef\xbf\xbd\xef\xbf\xbd\"");                 // cut off
}

}  // namespace
}  // namespace ptc
