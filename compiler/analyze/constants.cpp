// See constants.h.
#include "compiler/analyze/constants.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <utility>

namespace ptc {
namespace {

// One byte for the kind, so that the texts of different kinds never meet.
std::string key_of(Constant::Kind kind, std::string_view rest) {
  std::string key(1, static_cast<char>('a' + static_cast<int>(kind)));
  key += rest;
  return key;
}

std::string join_items(Constant::Kind kind, const std::vector<std::uint32_t>& items) {
  const std::size_t width = kind == Constant::Kind::Map ? 2 : 1;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> entries;
  for (std::size_t i = 0; i + width <= items.size(); i += width)
    entries.emplace_back(items[i], items[i + width - 1]);
  if (kind != Constant::Kind::Vector) std::sort(entries.begin(), entries.end());
  std::string text;
  for (const auto& [first, second] : entries) {
    text += std::to_string(first) + ',';
    if (width == 2) text += std::to_string(second) + ';';
  }
  return text;
}

}  // namespace

std::uint32_t ConstantTable::intern(std::string key, Constant constant) {
  const auto [at, added] =
      indices_.try_emplace(std::move(key), static_cast<std::uint32_t>(ast_.constants.size()));
  if (added) ast_.constants.push_back(std::move(constant));
  return at->second;
}

std::uint32_t ConstantTable::simple(Constant::Kind kind) {
  Constant constant;
  constant.kind = kind;
  return intern(key_of(kind, {}), std::move(constant));
}

std::uint32_t ConstantTable::text_constant(Constant::Kind kind, std::string_view text) {
  Constant constant;
  constant.kind = kind;
  constant.text = text;
  return intern(key_of(kind, text), std::move(constant));
}

std::uint32_t ConstantTable::integer(std::int64_t value) {
  Constant constant;
  constant.kind = Constant::Kind::Int;
  constant.integer = value;
  return intern(key_of(constant.kind, std::to_string(value)), std::move(constant));
}

std::uint32_t ConstantTable::integer(const std::string& decimal) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(decimal.data(), decimal.data() + decimal.size(), value);
  return error == std::errc() ? integer(value) : text_constant(Constant::Kind::BigInt, decimal);
}

std::uint32_t ConstantTable::real(double value) {
  Constant constant;
  constant.kind = Constant::Kind::Float;
  constant.real = value;
  return intern(key_of(constant.kind, std::to_string(std::bit_cast<std::uint64_t>(value))),
                std::move(constant));
}

std::uint32_t ConstantTable::collection(Constant::Kind kind, std::vector<std::uint32_t> items) {
  std::string key = key_of(kind, join_items(kind, items));
  Constant constant;
  constant.kind = kind;
  constant.items = std::move(items);
  return intern(std::move(key), std::move(constant));
}

std::optional<std::uint32_t> ConstantTable::atom(const Form& form) {
  switch (form.kind) {
    case FormKind::Nil: return nil();
    case FormKind::True: return boolean(true);
    case FormKind::False: return boolean(false);
    case FormKind::Int: return integer(form.text);
    case FormKind::Float: return real(form.real);
    case FormKind::String: return string(form.text);
    case FormKind::Keyword: return keyword(form.text);
    case FormKind::Regex: return regex(form.text);
    default: return std::nullopt;
  }
}

}  // namespace ptc
