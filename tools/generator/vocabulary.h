// What all programs of a generator share: the types met so far, and which rules give them. It changes nothing about a
// program; a fresh vocabulary gives the same text, later.
#pragma once
#include <array>
#include <map>
#include <optional>
#include <tuple>
#include <vector>

#include "tools/generator/rule.h"
#include "tools/generator/types.h"

namespace ptc::generator {

struct OpenTypes {
  std::array<TypeRef, 26> types{};
  std::optional<Kind> map_kind;
};

struct FittingRule {
  const Rule* rule;
  OpenTypes open;
};

struct Vocabulary {
  // A vocabulary with more types than this is given up, so that memory does not grow with the number of programs.
  static constexpr std::size_t kMostTypes = 400;

  TypeTable types;
  // By type, whether the rule is for any type, and whether the program is for Clojure.
  std::map<std::tuple<TypeRef, bool, bool>, std::vector<FittingRule>> fitting_rules;
  // By result, number of arguments and the first two of them, whether the function must be plain, and Clojure.
  std::map<std::tuple<TypeRef, std::size_t, TypeRef, TypeRef, bool, bool, bool>, std::vector<FittingRule>>
      fitting_functions;
};

}  // namespace ptc::generator
