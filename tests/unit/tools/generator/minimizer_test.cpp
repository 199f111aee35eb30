#include "tools/generator/minimizer.h"

#include <gtest/gtest.h>

#include <string>

#include "tools/generator/form_tree.h"

namespace ptc::generator {
namespace {

std::string small_of(std::string program, const Minimizer::Fails& fails) {
  return Minimizer(fails, 5'000).minimize(std::move(program));
}

bool has(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

TEST(Minimizer, WhatDoesNotMatterIsLeftOut) {
  const auto fails = [](const std::string& text) { return has(text, "(bad"); };
  EXPECT_EQ(small_of("(def a [1 2 3])\n(let [b (+ 1 2)] (println b) {:x (bad b) :y 2})", fails), "(bad)");
}

TEST(Minimizer, TwoPartsThatMatterStay) {
  const auto fails = [](const std::string& text) { return has(text, "one") && has(text, "two"); };
  EXPECT_EQ(small_of("[(f one) (g 5) {:k (h two)}]", fails), "one two");
}

TEST(Minimizer, AProgramThatCannotBeSmallerIsTheAnswer) {
  const std::string program = "(a b)";
  EXPECT_EQ(small_of(program, [&](const std::string& text) { return text == program; }), program);
}

TEST(Minimizer, StringsAndTextWithoutBalanceAreKeptWhole) {
  const auto fails = [](const std::string& text) { return has(text, "\"a ) b\"") && has(text, "]"); };
  EXPECT_EQ(small_of("(x \"a ) b\" ]] 1 2", fails), "\"a ) b\"]");
}

TEST(Minimizer, CandidatesAreBounded) {
  std::string program;
  for (int i = 0; i < 400; ++i) program += "(f " + std::to_string(i) + ") ";
  Minimizer minimizer([](const std::string&) { return false; }, 100);
  EXPECT_EQ(minimizer.minimize(program), program);
  EXPECT_EQ(minimizer.candidates(), 100u);
}

TEST(FormTree, FormsAreStretchesOfTheText) {
  const std::string text = "#date \"x y\" (a [b ; c)\n \"(\" \\)] #{1})";
  const auto nodes = form_tree(text);
  const auto text_of = [&](std::size_t node) {
    return text.substr(nodes[node].begin, nodes[node].end - nodes[node].begin);
  };
  ASSERT_EQ(nodes[0].parts.size(), 2u);
  EXPECT_EQ(text_of(nodes[0].parts[0]), "#date \"x y\"");
  const FormNode& list = nodes[nodes[0].parts[1]];
  ASSERT_EQ(list.parts.size(), 3u);
  EXPECT_EQ(text_of(list.parts[1]), "[b ; c)\n \"(\" \\)]");
  EXPECT_EQ(nodes[list.parts[1]].parts.size(), 3u);
  EXPECT_EQ(text_of(list.parts[2]), "#{1}");
}

}  // namespace
}  // namespace ptc::generator
