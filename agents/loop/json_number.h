// Numbers of JSON that are too large for a value.
#pragma once
#include <string>
#include <string_view>

namespace ptcvm::loop {

// Returns what is wrong with a JSON text that has a number which a value reads as infinite, or "". An integer is exact.
std::string json_number_fault(std::string_view json);

}  // namespace ptcvm::loop
