// What is said about the definitions of a program: kind, parameters and docstring. Only the text of the program has the
// docstring; the document of a run has that text.
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agent_state_generated.h"
#include "agents/loop/agent.h"

namespace ptcvm::loop {

// Returns the docstrings in a program as a model wrote it, by the names that have one.
std::map<std::string, std::string, std::less<>> definition_docs(std::string_view written);

// Returns what a turn has defined, in the order of the turn. Names that begin with "_" are left out.
std::vector<TurnDefinition> definitions_of(const state::TurnT& turn);

// Returns a definition as a line for the model: a value cut to about `most` bytes, a function with its parameters, and
// the docstring behind either.
std::string definition_line(std::string_view name, std::string_view edn, std::string_view doc, std::size_t most);

}  // namespace ptcvm::loop
