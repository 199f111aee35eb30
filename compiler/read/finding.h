// What a check of a program found: errors, warnings, and the data that the program names.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "compiler/read/diagnostic.h"

namespace ptc {

struct Finding {
  CompileError error;
  std::string_view warning;    // "unused_name" and the like, when the program runs all the same; "" for errors
};

struct DataUse {
  std::string name;            // what follows data/
  SourceSpan span;
};

// An argument of a call of a tool, whose name is in the text.
struct ToolArgument {
  std::string name;
  SourceSpan span;             // the value
  bool is_literal = false;     // the text of the value is its EDN
};

// A call of a tool with arguments that the text names.
struct ToolUse {
  std::string tool;
  SourceSpan span;             // the call
  std::vector<ToolArgument> arguments;
  bool has_all = true;         // false: there may be more arguments, whose names are not in the text
};

// The most findings that are kept of one text. When there are more, the last one says how many are left out.
inline constexpr std::size_t kMostFindings = 1'000;

struct ProgramFindings {
  std::vector<Finding> findings;    // in the order of the text
  std::vector<DataUse> data;        // in the order of the text
  std::vector<ToolUse> tools;       // in the order of the text
};

}  // namespace ptc
