// Well-typed programs at random: the same seed gives the same text everywhere.
//
// A generated program is closed, ends quickly, and is well-typed in a small type system (generator/types.h), so that
// nearly all of them end well; the others end in a fault or failure on purpose. Its tools have a finite domain of
// arguments, and every answer is recorded, so a batch request can carry them all. Neither result nor records depend on
// the order in which operations are resolved: handles are not printed, a tool answers equal arguments equally,
// await-any chooses only between equals, and failing operations are only met by await-settled.
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ptc::generator {

struct Vocabulary;

enum class ToolMode : std::uint8_t { Sync, Async, Auto };

struct GeneratedTool {
  std::string name;
  ToolMode mode = ToolMode::Sync;
};

struct GeneratedAnswer {
  std::string tool, args_edn;
  std::string result_edn;                      // unless it fails
  std::optional<std::string> error;
};

struct GeneratedProgram {
  std::string source;
  std::vector<GeneratedTool> tools;
  std::vector<GeneratedAnswer> answers;        // one for each tool and arguments
  std::optional<std::string> journal_edn;      // nothing: run without a journal
  bool fails_on_purpose = false;
};

// Clojure: only what means the same there. Such programs have no tools, tasks and failures.
enum class Subset : std::uint8_t { Whole, Clojure };

struct GeneratorOptions {
  std::uint64_t seed = 1;
  unsigned size = 120;                         // about how many expressions
  bool async_tools = true;                     // async and auto tools, await and its kin
  bool timers = true;                          // sleeps, and awaits that end because their time is over
  unsigned failing_percent = 1;                // programs that fail on purpose
  Subset subset = Subset::Whole;
};

GeneratedProgram generate_program(const GeneratorOptions& options);

// Makes many programs sooner than generate_program() does, and the same ones: it keeps what it found out about the
// tables of rules. One thread may use a generator at a time.
class Generator {
 public:
  Generator();
  ~Generator();
  Generator(const Generator&) = delete;
  Generator& operator=(const Generator&) = delete;
  GeneratedProgram program(const GeneratorOptions& options);

 private:
  std::unique_ptr<Vocabulary> vocabulary_;
};

// One line of `ptcvm batch` input, without the newline.
std::string batch_request_line(const GeneratedProgram& program, std::string_view id);

// Returns the program as a file, with the answers of its tools and its journal above it, in comments.
std::string program_text(const GeneratedProgram& program);
// Reads what program_text() writes. Any other text is a program without tools.
GeneratedProgram program_of_text(std::string_view text);

}  // namespace ptc::generator
