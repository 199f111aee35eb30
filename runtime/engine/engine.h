// All runs of a process share an engine. After construction only the compile cache changes, and a mutex guards the
// cache, so any number of threads may use one engine.
//
// The cache maps the source, together with everything else that decides the outcome of compiling (names in memory,
// tools, options), to the compiled program. Programs are immutable and shared. The cache does not keep failures.
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string_view>

#include "compiler/read/diagnostic.h"
#include "vm/exec/program.h"
#include "vm/snapshot/snapshot.h"

namespace ptc {

class MemorySource;
class SharedAutomata;

struct EngineOptions {
  std::size_t cached_programs = 512;           // 0 switches the cache off
  std::size_t shelved_programs = 1'024;        // programs that were loaded from snapshots or written into one
  std::size_t cached_source_bytes = 8u << 20;  // all cached sources together; longer sources are not cached
  std::size_t kept_memory_bytes = 64u << 20;   // memory of ended runs that the next runs may use; 0 keeps none
  std::size_t shelved_bytes = 64u << 20;       // bytecode of all shelved programs together; the newest always stays
  std::size_t regex_cache_bytes = 4u << 20;    // compiled regular expressions that runs share; 0 shares none
  std::shared_ptr<MemorySource> memory = nullptr;   // where runs take memory from; null makes a pool
};

struct CompileRequest {
  std::string_view source;
  std::string_view source_name;                    // the name of the source in messages
  std::span<const std::string_view> memory_names;  // names that the user namespace holds
  std::span<const std::string_view> tool_names;
  std::span<const std::string_view> sync_tool_names;
  bool check_tools = false;                        // true makes an unknown tool a static error
  bool strict_task_ids = false;
  bool optimize = true;                            // false neither folds constants nor inlines functions
  std::uint32_t max_symbols = 10'000;
  std::uint64_t memory_bytes = UINT64_MAX;         // what the tables of the compiler may take
  std::function<bool()> is_over;                   // asked while compiling: true stops it. May be empty
};

struct CompileAnswer {
  std::shared_ptr<const Program> program;          // null when compiling failed
  CompileError error;
  bool incomplete = false;                         // true when the text ended inside of a form
};

struct EngineStatistics {
  std::uint64_t compiled = 0, cache_hits = 0;
  std::size_t cached_programs = 0;
};

class CompileCache;
class ProgramShelf;

class Engine {
 public:
  explicit Engine(EngineOptions options = {});
  ~Engine();
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  CompileAnswer compile(const CompileRequest& request) const;
  EngineStatistics statistics() const;
  // Returns the programs that snapshots may name. The shelf is separate from the cache of compiled sources, and the
  // engine owns it.
  ProgramSource* programs() const;
  // Returns the source of the memory of runs. The source outlives the engine while a run uses it.
  const std::shared_ptr<MemorySource>& memory() const { return memory_; }
  // Returns the compiled regular expressions that runs share. They outlive the engine while a run uses them.
  const std::shared_ptr<SharedAutomata>& automata() const { return automata_; }

 private:
  EngineOptions options_;
  std::unique_ptr<CompileCache> cache_;
  std::unique_ptr<ProgramShelf> shelf_;
  std::shared_ptr<MemorySource> memory_;
  std::shared_ptr<SharedAutomata> automata_;
};

}  // namespace ptc
