// Forms -> Ast: every static check of the language, hygienic expansion of every macro, names resolved.
#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/analyze/ast.h"
#include "compiler/read/diagnostic.h"
#include "compiler/read/form.h"

namespace ptc {

struct ProgramNotes;

struct CompileOptions {
  std::uint32_t max_symbols = 10'000;               // distinct symbols and keywords; the language's own do not count
  std::vector<std::string_view> memory_names;       // names that the user namespace holds already
  std::vector<std::string_view> tool_names;         // registered tools
  std::vector<std::string_view> sync_tool_names;    // those that are not async: (await (tool/x …)) of one is refused
  bool check_tools = false;                         // refuse tools that tool_names lacks
  bool strict_task_ids = false;                     // (task id …) only with a string literal
  bool prelude = false;                             // hidden %names are visible; functions print as #<fn>
  bool optimize = true;                             // constant folding, inlining of literal closures
  // Returns how large a regular expression is for the engine, or 0 when the engine cannot run the expression; then it
  // says why and at which character. A null pointer accepts all.
  std::uint32_t (*check_regex)(std::string_view pattern, std::string& error, std::size_t& position) = nullptr;
  // Returns whether the text of a literal with the tag date, inst or duration names such a value. A null pointer
  // accepts all, and the program then fails where it is run.
  bool (*check_moment)(std::string_view tag, std::string_view text) = nullptr;
  ProgramNotes* notes = nullptr;                    // gets what a check wants to know; null: nothing is noted
  std::uint64_t most_bytes = UINT64_MAX;            // what the tables of the compiler may take for this text
  std::function<bool()> is_over;                    // asked now and then: true stops the compiler. May be empty
};

struct AnalyzeResult {
  bool failed = false;
  CompileError error;
};

AnalyzeResult analyze(const std::vector<const Form*>& forms, std::string_view source, FormArena& arena,
                      const CompileOptions& options, Ast& ast);

}  // namespace ptc
