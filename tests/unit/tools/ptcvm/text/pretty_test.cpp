// EDN laid out for people.
#include "tools/ptcvm/text/pretty.h"

#include <gtest/gtest.h>

namespace ptcvm::cli {
namespace {

TEST(PrettyEdn, breaks_only_what_is_too_wide) {
  EXPECT_EQ(pretty_edn("[1 2 3]", 20), "[1 2 3]");
  EXPECT_EQ(pretty_edn("[111 222 333]", 8), "[111\n 222\n 333]");
  EXPECT_EQ(pretty_edn("{:a [1 2 3] :b {:c 1}}", 12), "{:a [1 2 3]\n :b {:c 1}}");
  EXPECT_EQ(pretty_edn("{:aaa [1 2 3]}", 8), "{:aaa [1\n       2\n       3]}");
  EXPECT_EQ(pretty_edn("#{11111 22222}", 8), "#{11111\n  22222}");
  EXPECT_EQ(pretty_edn("\"a b [c\"", 3), "\"a b [c\"");
  EXPECT_EQ(pretty_edn("[\"a b\" \"c \\\" d\"]", 6), "[\"a b\"\n \"c \\\" d\"]");
  EXPECT_EQ(pretty_edn("[#ptc/date \"2024-01-02\" 1]", 10), "[#ptc/date \"2024-01-02\"\n 1]");
}

TEST(PrettyEdn, does_not_recurse) {
  const std::string deep = std::string(200'000, '[') + std::string(200'000, ']');
  EXPECT_GE(pretty_edn(deep, 20).size(), deep.size());
}

}  // namespace
}  // namespace ptcvm::cli
