// The text of a function as it stands in stored memory, turned into a program whose value is that function.
#pragma once
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace ptc {

// Accepts exactly one form that is (fn …), (defn …), #(…) or a name, so that reading stored data cannot run anything.
// Captured locals are bound from the context: (let [n data/n] (fn …)). Nothing: the text is none of these.
std::optional<std::string> function_program(std::string_view text, std::span<const std::string_view> captured_names);

}  // namespace ptc
