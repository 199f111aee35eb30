// The runnable examples of a document: every fenced block that is tagged clojure or lisp.
//
// A block may hold several examples. One ends with a line `;; => VALUE` (or `;; !! …`, `;; return …`, `;; fail …`);
// further directive lines (prints, journal, data, …) that belong to it follow directly. A block without an expectation
// is a complaint: an example that nothing checks goes stale.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "support/program_file.h"

namespace ptc::test {

std::vector<ProgramFile> programs_of_markdown(std::string_view document_name, std::string_view text);

}  // namespace ptc::test
