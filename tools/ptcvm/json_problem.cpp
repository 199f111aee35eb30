#include "tools/ptcvm/json_problem.h"

#include "ptcvm/value.hpp"

namespace ptcvm::cli {

std::string json_problem(std::string_view text) {
  const auto value = Value::from_json(text);
  if (value) return "";
  const Error error = value.error();
  if (!error.diagnostic) return error.message;
  return "line " + std::to_string(error.diagnostic->line) + ", column " + std::to_string(error.diagnostic->column) +
         ": " + error.diagnostic->message;
}

}  // namespace ptcvm::cli
