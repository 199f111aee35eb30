// What a text defines: names, parameters and docstrings.
#include <gtest/gtest.h>

#include "compiler/read/source_definition.h"

namespace ptc {
namespace {

// Returns the definitions as text: "name[parameters]/arity:doc".
std::string shown(std::string_view text) {
  std::string out;
  for (const SourceDefinition& found : source_definitions(text)) {
    out += (out.empty() ? "" : " ") + found.name;
    if (found.is_function) out += found.parameters.empty() ? "(?)" : found.parameters;
    if (found.arity) out += "/" + std::to_string(*found.arity);
    if (!found.doc.empty()) out += ":" + found.doc;
  }
  return out;
}

TEST(SourceDefinitions, have_parameters_and_docstrings) {
  EXPECT_EQ(shown("(defn f \"Doc\" [x y] 1)"), "f[x y]/2:Doc");
  EXPECT_EQ(shown("(defn f [x & more] 1)"), "f[x & more]/1");
  EXPECT_EQ(shown("(defn f [{:keys [a b]} [c]] 1)"), "f[{:keys [a b]} [c]]/2");
  EXPECT_EQ(shown("(def v \"Doc\" 1)"), "v:Doc");
  EXPECT_EQ(shown("(def v \"a text\")"), "v") << "a value that is a text is no docstring";
  EXPECT_EQ(shown("(defonce v \"Doc\" 1)"), "v:Doc");
  EXPECT_EQ(shown("(def f \"Doc\" (fn [x] x))"), "f[x]/1:Doc");
  EXPECT_EQ(shown("(def f (fn self [x] x))"), "f[x]/1");
  EXPECT_EQ(shown("(def f #(+ % 1))"), "f(?)");
  EXPECT_EQ(shown("(def f \"Says \\\"yes\\\"\" 1)"), "f:Says \"yes\"");
}

TEST(SourceDefinitions, are_found_inside_of_other_forms_in_the_order_of_the_text) {
  EXPECT_EQ(shown("(do (def a 1) (when true (defn b [] (def c 3))))"), "a b[]/0 c");
  EXPECT_EQ(shown("[(def a 1) {:k (def b 2)}]"), "a b");
}

TEST(SourceDefinitions, ignore_what_defines_nothing) {
  EXPECT_EQ(shown("(comment (def a 1)) (def) (def 1 2) (defn f) def (:def a 1) \"(def b 1)\""), "");
  EXPECT_EQ(shown("(def a 1"), "") << "the text cannot be read";
  EXPECT_EQ(shown(""), "");
}

TEST(SourceDefinitions, know_where_the_name_stands) {
  const auto found = source_definitions("\n (def a 1)");
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].span.line, 2u);
  EXPECT_EQ(found[0].span.column, 7u);
}

}  // namespace
}  // namespace ptc
