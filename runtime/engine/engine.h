// The engine: what all runs of a process share. After construction only the compile cache changes, and that is guarded
// by a mutex, so one engine serves any number of threads.
//
// The cache maps the source together with everything else that decides the outcome of compiling (names in memory,
// tools, options) to the compiled program. Programs are immutable and shared; failures are not kept.
#pragma once
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "compiler/read/diagnostic.h"
#include "vm/exec/program.h"
#include "vm/snapshot/snapshot.h"

namespace ptc {

class MemorySource;

struct EngineOptions {
  std::size_t cached_programs = 512;           // 0: no cache
  std::size_t shelved_programs = 1'024;        // loaded from snapshots, or written into one
  std::size_t cached_source_bytes = 8u << 20;  // of all cached programs together; longer sources are not kept
  std::size_t kept_memory_bytes = 64u << 20;   // of ended runs, for the next ones; 0: all goes back to the system
  std::shared_ptr<MemorySource> memory = nullptr;   // that runs take theirs from, instead of a pool that keeps so much
};

struct CompileRequest {
  std::string_view source;
  std::string_view source_name;                    // for messages
  std::span<const std::string_view> memory_names;  // names that the user namespace holds
  std::span<const std::string_view> tool_names;
  std::span<const std::string_view> sync_tool_names;
  bool check_tools = false;                        // unknown tools are a static error
  bool strict_task_ids = false;
  std::uint32_t max_symbols = 10'000;
};

struct CompileAnswer {
  std::shared_ptr<const Program> program;          // null: failed
  CompileError error;
  bool incomplete = false;                         // the text ended inside of a form
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
  // Programs that snapshots may name; kept apart from the cache of compiled sources. Owned by the engine.
  ProgramSource* programs() const;
  // Where runs take their memory from. It outlives the engine while a run uses it.
  const std::shared_ptr<MemorySource>& memory() const { return memory_; }

 private:
  EngineOptions options_;
  std::unique_ptr<CompileCache> cache_;
  std::unique_ptr<ProgramShelf> shelf_;
  std::shared_ptr<MemorySource> memory_;
};

}  // namespace ptc
