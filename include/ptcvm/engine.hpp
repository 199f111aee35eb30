// The engine: what all runs of a process share. It compiles sources, keeps compiled programs, and knows the builtins.
//
// An Engine is a handle: copying it is cheap, all copies are the same engine, and any number of threads may use them at
// once. Runs and programs keep what they need alive, so the order of destruction does not matter.
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

// How much an engine keeps.
struct EngineOptions {
  std::size_t cached_programs = 512;             // compiled programs by source; least recently used go first; 0: none
  std::size_t cached_source_bytes = 8u << 20;    // of all cached sources together
  std::size_t shelved_programs = 1'024;          // that snapshots may name by hash
  std::size_t kept_memory_bytes = 64u << 20;     // that ended runs held, for the next ones; 0: the system gets it back
};

// How a source is read, and what it may use. A source is at most 1 MiB of UTF-8.
struct CompileOptions {
  std::string_view name = {};                         // of the source, for messages
  const Tools* tools = nullptr;                  // given: a call of an unknown tool is an error here, not when it runs
  std::span<const std::string_view> defined = {};     // names that the program may use without defining them
  bool strict_task_ids = false;                  // (task ID …) takes string literals only
  std::uint32_t max_symbols = 10'000;            // different names in a source
};

// Since the engine was made, and now.
struct EngineStatistics {
  std::uint64_t compiled = 0, cache_hits = 0;    // calls of compile() that had work, and that had none
  std::size_t cached_programs = 0;               // now
};

// Compiled code: immutable, checked, shared. A handle, to be copied freely and used by any number of threads.
class PTCVM_API Program {
 public:
  struct Impl;   // of the library
  std::string_view source() const;               // lives as long as the program
  std::string_view source_name() const;          // as given when it was compiled; lives as long as the program
  std::string sha256() const;                    // of its bytecode, 64 hex digits: what snapshots name it by
  std::vector<std::byte> bytecode() const;       // for Engine::load(); equal programs have equal bytes
  std::vector<std::string> tool_names() const;   // that it calls, sorted

 private:
  friend struct EngineAccess;
  explicit Program(std::shared_ptr<const Impl> impl) : impl_(std::move(impl)) {}
  std::shared_ptr<const Impl> impl_;
};

// See the top of this file: a handle for any number of threads.
class PTCVM_API Engine {
 public:
  struct Impl;   // of the library
  explicit Engine(const EngineOptions& options = {});

  // Source to program, from the cache when it is there. invalid_program: the diagnostic says what and where. Nothing
  // is executed. not_available in the library without a compiler.
  Result<Program> compile(std::string_view source, const CompileOptions& options = {}) const;
  // Bytecode from anywhere: it is verified, and refused (invalid_program) when it could do harm.
  Result<Program> load(std::span<const std::byte> bytecode) const;
  EngineStatistics statistics() const;           // of this moment; other threads go on

 private:
  friend struct EngineAccess;
  std::shared_ptr<const Impl> impl_;
};

}  // namespace ptcvm
