// The constant table of a program: literals as entries of Ast::constants, equal ones shared.
//
// Two literals are the same constant exactly when they are the same value by the strict equality of map keys:
// 1 and 1.0 differ, order in maps and sets does not matter. (0.0 and -0.0 are kept apart so that the sign
// survives.)
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>

#include "compiler/analyze/ast.h"
#include "compiler/read/form.h"

namespace ptc {

class ConstantTable {
 public:
  explicit ConstantTable(Ast& ast) : ast_(ast) {}

  std::uint32_t nil() { return simple(Constant::Kind::Nil); }
  std::uint32_t boolean(bool value) { return simple(value ? Constant::Kind::True : Constant::Kind::False); }
  std::uint32_t integer(std::int64_t value);
  std::uint32_t integer(const std::string& decimal);
  std::uint32_t real(double value);
  std::uint32_t string(std::string_view text) { return text_constant(Constant::Kind::String, text); }
  std::uint32_t keyword(std::string_view name) { return text_constant(Constant::Kind::Keyword, name); }
  std::uint32_t regex(std::string_view pattern) { return text_constant(Constant::Kind::Regex, pattern); }
  // Vector: elements in order. Map: pairs. Set: elements. Keys must be distinct already.
  std::uint32_t collection(Constant::Kind kind, std::vector<std::uint32_t> items);

  // Returns the constant that an atomic literal stands for, or nullopt for other forms.
  std::optional<std::uint32_t> atom(const Form& form);

 private:
  std::uint32_t simple(Constant::Kind kind);
  std::uint32_t text_constant(Constant::Kind kind, std::string_view text);
  std::uint32_t intern(std::string key, Constant constant);

  Ast& ast_;
  std::unordered_map<std::string, std::uint32_t> indices_;
};

}  // namespace ptc
