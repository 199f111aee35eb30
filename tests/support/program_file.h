// A test program: a .ptc file whose `;;` lines say what must come of it. The whole file is the program text (the
// directives are comments), so positions count lines of the file.
//
//   ;; => VALUE            completes with that value, in EDN spelling       ;; return VALUE    ;; fail VALUE
//   ;; !! kind at L:C      a fault; kind and position may each be left out, the column too
//   ;; prints ["…"]  ;; journal {…}  ;; memory {…}  ;; summaries {…}        what the run leaves behind
//   ;; data {…}  ;; memory-in {…}  ;; journal-in {…}  ;; history […]  ;; budget {…}      what it is given
//   ;; calls ["charge {\"n\" 1}"]      the tool calls that were made, in their order, with their arguments
//   ;; says TEXT                     a part of the fault's message
//   ;; suspended ["op1"]             never ends; the operations that it waits for
//   ;; tool NAME ARGS => RESULT      ;; tool NAME ARGS =! "error"           ;; tool-def NAME
//   ;; async-tool and ;; auto-tool   as tool, for tools whose answers come when the program is suspended
//   ;; limits {:fuel 100 …}          ;; options {:float-precision 2 :signature "…"}
//   ;; heavy                         only the straight mode, once
//
// A journal is supplied when a journal line is there. Other lines that begin with `;; ` are refused, so that a misspelt
// directive is noticed; the first line of the file is its claim.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "runtime/session/outcome.h"
#include "runtime/session/session.h"
#include "support/replay.h"

namespace ptc::test {

struct Expectation {
  bool stated = false;
  OutcomeStatus status = OutcomeStatus::Ok;
  std::string value_edn;
  std::string kind;                         // "": any
  std::uint32_t line = 0, column = 0;       // 0: any
  std::optional<std::string> prints_edn, journal_edn, memory_edn, summaries_edn, calls_edn;
  std::string says;
};

struct ProgramFile {
  std::string name;                         // path without folder of the suite and extension
  std::string source;
  Expectation expect;
  std::string data_edn, memory_edn, journal_edn, history_edn, budget_edn;
  bool has_journal = false, heavy = false;
  std::vector<RecordedCall> calls;
  std::vector<std::pair<std::string, AsyncMode>> tools;
  SessionOptions options;
  std::string complaint;                    // not empty: the file itself is malformed
};

ProgramFile parse_program_file(std::string name, std::string source);

// Every .ptc file under the folder, sorted by name; `filter` is a substring of the name.
std::vector<ProgramFile> read_program_files(const std::string& folder, std::string_view filter);

}  // namespace ptc::test
