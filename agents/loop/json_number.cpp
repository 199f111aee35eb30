#include "agents/loop/json_number.h"

#include <cmath>
#include <cstddef>

#include "ptcvm/value.hpp"

namespace ptcvm::loop {

namespace {

constexpr std::string_view kOfNumbers = "+-.0123456789Ee";
constexpr std::size_t kDigitsOfFloat = 309;       // the largest one has so many
constexpr std::size_t kMostShown = 40;

bool may_be_infinite(std::string_view number) {
  return number.find_first_of("eE") != std::string_view::npos || number.size() >= kDigitsOfFloat;
}

bool is_infinite(std::string_view number) {
  const auto value = Value::from_json(number);
  return value && std::isinf(value->view().as_double().value_or(0));   // a long integer is exact
}

}  // namespace

std::string json_number_fault(std::string_view json) {
  for (std::size_t at = 0; (at = json.find_first_of("\"-0123456789", at)) != std::string_view::npos;) {
    if (json[at] == '"') {
      for (++at; at < json.size() && json[at] != '"'; ++at) at += json[at] == '\\' ? 1 : 0;
      ++at;
      continue;
    }
    const std::string_view number = json.substr(at, json.find_first_not_of(kOfNumbers, at) - at);
    at += number.size();
    if (!may_be_infinite(number) || !is_infinite(number)) continue;
    const std::string shown(number.substr(0, kMostShown));
    return "invalid JSON number: " + shown + (number.size() > kMostShown ? "…" : "") + " is beyond the largest float";
  }
  return {};
}

}  // namespace ptcvm::loop
