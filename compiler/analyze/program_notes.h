// What the analyzer notes about names and calls when a check asks for it (compiler/program_check.h). Compiling notes
// nothing.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "compiler/analyze/ast.h"
#include "compiler/read/finding.h"
#include "schema/builtin_id.h"

namespace ptc {

// How many arguments a function of the program takes.
struct FunctionArity {
  std::size_t least = 0;
  bool is_variadic = false;    // takes more than `least`, too
};

struct NotedCall {
  SourceSpan span;
  std::size_t count = 0;       // of arguments
  std::optional<BuiltinId> builtin;
  std::string global;          // a name of the program, or ""
  LocalId local = kNoLocal;
};

struct NotedDefinition {
  std::string name;
  SourceSpan span;
  std::optional<FunctionArity> arity;
  bool once = false;           // defonce
};

struct NotedBinding {
  std::string name;
  SourceSpan span;
  LocalId local = kNoLocal;
  std::optional<FunctionArity> arity;
};

struct ProgramNotes {
  // What an entry takes in the lists below, which double when they are full, and then in the tables of a check.
  static constexpr std::uint64_t kBytesOfEntry = 4 * sizeof(NotedBinding);

  std::vector<NotedCall> calls;
  std::vector<NotedDefinition> definitions;
  std::vector<NotedBinding> bindings;              // made by let and its kin; parameters are left out
  std::unordered_set<std::string> used_globals;
  std::unordered_set<LocalId> used_locals;
  std::vector<DataUse> data;
  std::vector<ToolUse> tools;
};

// Returns the arity of a node that is a function of the program.
inline std::optional<FunctionArity> arity_of(const Node& node) {
  if (node.kind != NodeKind::Fn) return std::nullopt;
  return FunctionArity{node.locals.size() - (node.variadic ? 1 : 0), node.variadic};
}

}  // namespace ptc
