// Source layout: indentation, blanks, and that tokens and comments stay.
#include "tools/ptcvm/formatter.h"

#include <gtest/gtest.h>

namespace ptcvm::cli {
namespace {

TEST(Formatter, lays_out_programs) {
  for (const auto& [source, formatted] : std::initializer_list<std::pair<std::string_view, std::string_view>>{
           {"", ""},
           {"(+ 1   2 )", "(+ 1 2)\n"},
           {"( + 1,2)", "(+ 1 2)\n"},
           {"[ 1\n2 ]", "[1\n 2]\n"},
           {"{:a 1\n:b #{2\n3}}", "{:a 1\n :b #{2\n      3}}\n"},
           {"(let [a 1\nb 2]\n(+ a b))", "(let [a 1\n      b 2]\n  (+ a b))\n"},
           {"(defn f [x]\n(if x\n1\n2))", "(defn f [x]\n  (if x\n    1\n    2))\n"},
           {"(map inc\nxs)", "(map inc\n     xs)\n"},
           {"(\nf\na)", "(f\n a)\n"},
           {"(->> xs\n(map inc)\n(filter odd?))", "(->> xs\n     (map inc)\n     (filter odd?))\n"},
           {"(a)\n\n\n\n(b)", "(a)\n\n(b)\n"},
           {"(a ; why\n)", "(a ; why\n )\n"},
           {";; top\n(f #(g %\n1))", ";; top\n(f #(g %\n       1))\n"},
           {"#_ (a) b", "#_(a) b\n"},
           {"(str \"a  b\n  c\" \\( \\newline #\"\\d(\")", "(str \"a  b\n  c\" \\( \\newline #\"\\d(\")\n"},
           {"(re#\"a\" x#{1} y:k 1#(f %))", "(re #\"a\" x #{1} y :k 1 #(f %))\n"},   // a name ends where it ends
           {"a\xc2\xa0" "b\xe3\x80\x80(c)", "a b (c)\n"},                           // all that the reader calls blank
           {"[\\\xe3\x80\x80]", "[\\\xe3\x80\x80]\n"},                               // a character that is one
           {"#'x *1 tool/x", "#'x *1 tool/x\n"},
           {"(f \"日本\" (g\n1))", "(f \"日本\" (g\n         1))\n"},
       }) {
    EXPECT_EQ(format_source(source), formatted) << source;
    EXPECT_EQ(format_source(formatted), formatted) << "not stable: " << formatted;
  }
}

}  // namespace
}  // namespace ptcvm::cli
