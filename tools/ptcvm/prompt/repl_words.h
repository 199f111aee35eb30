// The words that a prompt knows: its commands, and what Tab completes.
#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ptcvm::cli {

enum class ReplCommand : std::uint8_t {
#define REPL_COMMAND(id, name, argument, kind, text) id,
#include "tools/ptcvm/prompt/repl_commands.def"
#undef REPL_COMMAND
};

// Returns the command of this name, without the colon.
std::optional<ReplCommand> find_repl_command(std::string_view name);
// Says how the command is written when its argument is missing, or when it takes none; "" when the argument is right.
std::string misused_repl_command(ReplCommand command, std::string_view argument);
// Returns what :help prints.
std::string repl_help();
// Says that there is no such command, and which one looks like it.
std::string unknown_repl_command(std::string_view name);

// The names that come from the program and its inputs. data/ and tool/ are not part of them.
struct ReplNames {
  std::vector<std::string> defined, data, tools, operations;
  // Says whether a name of the language means something in a namespace: "str/upper-case" does, "str/map" does not.
  std::function<bool(const std::string& qualified)> is_known = [](const std::string&) { return false; };
};

// What Tab makes of a line that ends at the cursor: the words that fit, and how many bytes before the cursor they
// replace.
struct Completion {
  std::size_t typed_bytes = 0;
  std::vector<std::string> words;   // sorted, each once
};
Completion completion_of(std::string_view line, bool begins_program, const ReplNames& names);

// Returns the keys of an EDN map whose keys are keywords or strings, as names.
std::vector<std::string> map_keys(std::string_view edn);

// Returns a line for each of the names of which a store has the values, and how to see them.
std::string stored_names_text(std::vector<std::string> names);
// Returns the names behind def, defn and defonce in a program.
std::vector<std::string> names_defined_in(std::string_view source);

}   // namespace ptcvm::cli
