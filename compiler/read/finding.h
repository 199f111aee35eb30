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

struct ProgramFindings {
  std::vector<Finding> findings;    // in the order of the text
  std::vector<DataUse> data;        // in the order of the text
};

}  // namespace ptc
