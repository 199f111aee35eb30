// The part of a prototype that vm/value may see: what printing, docs and errors need to know about a function.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace ptc {

struct FunctionInfo {
  std::string name;          // "" when anonymous
  std::string printed;       // "#fn[x & r]", or "#<fn>" for functions made by the prelude
  std::string source;        // the text of the fn form, or "" when it was not kept
  std::string doc;
  std::vector<std::string> upvalue_names;
  std::uint32_t required_count = 0;   // the number of parameters before &
  bool variadic = false;
};

}  // namespace ptc
