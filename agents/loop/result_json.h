// Writes a value as the JSON that a run returns: keys have "_" in place of "-".
#pragma once
#include <string>

#include "ptcvm/value.hpp"

namespace ptcvm::loop {

std::string result_json(ValueView value);

}  // namespace ptcvm::loop
