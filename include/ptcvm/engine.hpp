// All runs of a process share one engine. The engine compiles sources, keeps compiled programs, and has the builtins.
//
// An Engine is a handle: copying it is cheap, all copies are the same engine, and any number of threads may use them at
// once. Runs and programs keep alive what they need, so handles may be destroyed in any order.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ptcvm/config.hpp"
#include "ptcvm/result.hpp"

namespace ptcvm {

class Tools;

// Says how much an engine keeps.
struct EngineOptions {
  std::size_t cached_programs = 512;             // most programs that the cache keeps; 0 keeps none
  std::size_t cached_source_bytes = 8u << 20;    // most bytes of all cached sources together
  std::size_t shelved_programs = 1'024;          // most programs that snapshots may name by hash
  std::size_t kept_memory_bytes = 64u << 20;     // most memory of ended runs that the next runs may use; 0 keeps none
  // Most bytes of the compiled regular expressions that runs share; those used last stay. 0 shares none.
  std::size_t regex_cache_bytes = 4u << 20;
};

// Says how a source is read, and what the program may use. A source is at most 1 MiB of UTF-8.
struct CompileOptions {
  std::string_view name = {};                         // the name of the source, for messages
  const Tools* tools = nullptr;                  // when given, compile() refuses calls of other tools
  std::span<const std::string_view> defined = {};     // names that the program may use without defining them
  bool strict_task_ids = false;                  // when true, the id in (task id …) must be a string literal
  std::uint32_t max_symbols = 10'000;            // most distinct names in a source
  bool check_tools = true;                       // false: compile() takes calls of tools that `tools` does not have
  // false: compile() neither folds constants nor inlines functions, so that the bytecode follows the source. The
  // results of the program stay the same.
  bool optimize = true;
};

// Counts what an engine did since it was made.
struct EngineStatistics {
  std::uint64_t compiled = 0, cache_hits = 0;    // calls of compile() that compiled, and calls that hit the cache
  std::size_t cached_programs = 0;               // programs in the cache now
};

// A compiled program: immutable, verified, shared. A Program is a handle; copies are cheap, and any number of threads
// may use them.
class PTCVM_API Program {
 public:
  struct Impl;   // internal
  std::string_view source() const;               // returns the source, which lives as long as the program
  std::string_view source_name() const;          // returns the name given to compile(); lives as long as the program
  std::string sha256() const;                    // returns the hash of the bytecode, 64 hex digits
  std::vector<std::byte> bytecode() const;       // returns bytes for Engine::load(); equal programs have equal bytes
  std::vector<std::string> tool_names() const;   // returns the names of the tools that the program calls, sorted
  std::string disassembly() const;               // returns the instructions as text for people

 private:
  friend struct EngineAccess;
  explicit Program(std::shared_ptr<const Impl> impl) : impl_(std::move(impl)) {}
  std::shared_ptr<const Impl> impl_;
};

// Compiles and keeps programs. The top of this file has the thread rules.
class PTCVM_API Engine {
 public:
  struct Impl;   // internal
  explicit Engine(const EngineOptions& options = {});

  // Returns the program of a source, from the cache when the cache has it. Executes nothing. Errors: invalid_program,
  // with a diagnostic that says what is wrong and where; not_available in the library without a compiler.
  Result<Program> compile(std::string_view source, const CompileOptions& options = {}) const;
  // Returns the program of a bytecode. The bytes may come from anywhere: load() verifies them, and refuses bytes that
  // could do harm with invalid_program.
  Result<Program> load(std::span<const std::byte> bytecode) const;
  EngineStatistics statistics() const;           // returns the counts of this moment; other threads may change them

 private:
  friend struct EngineAccess;
  std::shared_ptr<const Impl> impl_;
};

}  // namespace ptcvm
