// Source layout: indentation, blanks, and that tokens and comments stay.
#include "tools/ptcvm/source/formatter.h"

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

// One line of more than 100 columns each, and how it is broken.
TEST(Formatter, keeps_to_100_columns) {
  const std::string wide(40, 'w');
  const std::string text = '"' + std::string(100, 'x') + '"';
  for (const auto& [source, formatted] : std::initializer_list<std::pair<std::string, std::string>>{
           {"(defn f [x] (let [a (g " + wide + ") b (h " + wide + ")] (+ a b)))",
            "(defn f [x]\n  (let [a (g " + wide + ")\n        b (h " + wide + ")]\n    (+ a b)))\n"},
           {"(->> " + wide + " (map inc) (filter odd?) (reduce +) (str \"the sum of all numbers is \"))",
            "(->> " + wide + "\n     (map inc)\n     (filter odd?)\n     (reduce +)\n"
            "     (str \"the sum of all numbers is \"))\n"},
           {"{:first " + wide + " :second " + wide + " :third 3}",
            "{:first " + wide + "\n :second " + wide + "\n :third 3}\n"},
           {"[" + wide + " " + wide + " " + wide + "]", "[" + wide + " " + wide + "\n " + wide + "]\n"},
           {"(cond (= x 1) " + wide + " (= x 2) " + wide + " :else nil)",
            "(cond\n  (= x 1) " + wide + "\n  (= x 2) " + wide + "\n  :else nil)\n"},
           {"(def a " + wide + ") (def b " + wide + ")", "(def a " + wide + ") (def b " + wide + ")\n"},
           {"(def a " + wide + ") (def bcdefg " + wide + ")", "(def a " + wide + ")\n(def bcdefg " + wide + ")\n"},
           {"(f " + text + " 1)", "(f " + text + "\n   1)\n"},           // a token is never cut
           {"{:a " + text + "}", "{:a " + text + "}\n"},                  // a value stays with its key
           {"(" + wide + wide + " (a b c d e f g h i j))", "(" + wide + wide + "\n (a b c d e f g h i j))\n"},
           {"(f 1 2) ; " + wide + wide + wide, "(f 1 2) ; " + wide + wide + wide + "\n"},
           {"(f " + wide + "\n" + wide + " " + wide + " 1234567890123456)",
            "(f " + wide + "\n   " + wide + " " + wide + "\n   1234567890123456)\n"},
           {"(f \"" + wide + "\n" + wide + wide + "\" 1234567890 12345678)",
            "(f \"" + wide + "\n" + wide + wide + "\" 1234567890\n   12345678)\n"},
       }) {
    EXPECT_EQ(format_source(source), formatted) << source;
    EXPECT_EQ(format_source(formatted), formatted) << "not stable: " << formatted;
  }
}

TEST(Formatter, says_where_the_next_line_begins) {
  for (const auto& [source, column] : std::initializer_list<std::pair<std::string_view, std::size_t>>{
           {"", 0}, {"(f)", 0}, {"(", 1}, {"(f", 1}, {"(map inc", 5}, {"(let [a 1", 6}, {"(let [a 1]", 2}, {"{:a", 1},
           {"(defn f [x]\n  (if x", 4}, {"(str \"a", 0}, {"(str \"a\"", 5}, {"(re-find #\"a", 0}, {"(f ; why", 1},
       }) {
    EXPECT_EQ(next_line_column(source), column) << source;
  }
}

}  // namespace
}  // namespace ptcvm::cli
