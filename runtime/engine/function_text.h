// Turns the text of a function in stored memory into a program whose value is that function.
#pragma once
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace ptc {

// Returns the source of a program, or nullopt when the text is anything other than exactly one (fn …), (defn …), #(…)
// or name, so that reading stored data cannot run anything. Captured locals are bound from the context: (let [n data/n]
// (fn …)).
std::optional<std::string> function_program(std::string_view text, std::span<const std::string_view> captured_names);

}  // namespace ptc
