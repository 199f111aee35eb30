#include "runtime/engine/engine.h"

#include <list>
#include <mutex>
#include <string>
#include <unordered_map>

#include "runtime/engine/automaton_cache.h"
#include "runtime/engine/compiling.h"
#include "runtime/engine/memory_pool.h"
#include "runtime/engine/program_shelf.h"

namespace ptc {
namespace {

void append_part(std::string& key, std::string_view part) {
  key += std::to_string(part.size());
  key += ':';
  key += part;
}

void append_names(std::string& key, std::span<const std::string_view> names) {
  key += std::to_string(names.size());
  key += '\n';
  for (const std::string_view name : names) append_part(key, name);
}

// Unambiguous: every part carries its length.
std::string cache_key(const CompileRequest& request) {
  std::string key;
  key.reserve(request.source.size() + 64);
  key += static_cast<char>('0' + (request.check_tools ? 1 : 0) + (request.strict_task_ids ? 2 : 0) +
                           (request.optimize ? 0 : 4));
  key += std::to_string(request.max_symbols);
  key += '\n';
  key.append(reinterpret_cast<const char*>(&request.memory_bytes), sizeof request.memory_bytes);
  append_names(key, request.memory_names);
  append_names(key, request.tool_names);
  append_names(key, request.sync_tool_names);
  append_part(key, request.source_name);
  key += request.source;
  return key;
}

}  // namespace

// Least recently used goes first. The lock is held for look-up and insertion only, never while compiling.
class CompileCache {
 public:
  explicit CompileCache(const EngineOptions& options) : options_(options) {}

  std::shared_ptr<const Program> find(const std::string& key) {
    const std::lock_guard lock(mutex_);
    const auto found = index_.find(key);
    if (found == index_.end()) {
      ++statistics_.compiled;
      return nullptr;
    }
    ++statistics_.cache_hits;
    entries_.splice(entries_.begin(), entries_, found->second);
    return found->second->program;
  }

  void insert(std::string key, std::shared_ptr<const Program> program) {
    if (options_.cached_programs == 0 || key.size() > options_.cached_source_bytes) return;
    const std::lock_guard lock(mutex_);
    if (index_.contains(key)) return;
    bytes_ += key.size();
    entries_.push_front({std::move(key), std::move(program)});
    index_.emplace(entries_.front().key, entries_.begin());
    while (entries_.size() > options_.cached_programs || bytes_ > options_.cached_source_bytes) {
      bytes_ -= entries_.back().key.size();
      index_.erase(entries_.back().key);
      entries_.pop_back();
    }
  }

  // Counts a program that is compiled without a look into the cache.
  void count_compiled() {
    const std::lock_guard lock(mutex_);
    ++statistics_.compiled;
  }

  EngineStatistics statistics() {
    const std::lock_guard lock(mutex_);
    EngineStatistics now = statistics_;
    now.cached_programs = entries_.size();
    return now;
  }

 private:
  struct Entry {
    std::string key;
    std::shared_ptr<const Program> program;
  };

  EngineOptions options_;
  std::mutex mutex_;
  std::list<Entry> entries_;                                            // newest first
  std::unordered_map<std::string_view, std::list<Entry>::iterator> index_;   // views of the entries' keys
  std::size_t bytes_ = 0;
  EngineStatistics statistics_;
};

#ifdef PTC_SANITIZED
constexpr bool kKeepsMemory = false;   // the sanitizer must see what is used after it was given back
#else
constexpr bool kKeepsMemory = true;
#endif

Engine::Engine(EngineOptions options)
    : options_(options),
      cache_(std::make_unique<CompileCache>(options)),
      shelf_(std::make_unique<ProgramShelf>(options.shelved_programs, options.shelved_bytes)),
      memory_(std::move(options.memory)),
      automata_(std::make_shared<AutomatonCache>(options.regex_cache_bytes)) {
  if (memory_ == nullptr) memory_ = std::make_shared<MemoryPool>(kKeepsMemory ? options.kept_memory_bytes : 0);
}
Engine::~Engine() = default;

CompileAnswer Engine::compile(const CompileRequest& request) const {
  if (options_.cached_programs == 0) {
    cache_->count_compiled();
    return compile_program(request);
  }
  std::string key = cache_key(request);
  if (auto program = cache_->find(key)) {
    CompileAnswer answer;
    answer.program = std::move(program);
    return answer;
  }
  CompileAnswer answer = compile_program(request);
  if (answer.program != nullptr) cache_->insert(std::move(key), answer.program);
  return answer;
}

ProgramSource* Engine::programs() const { return shelf_.get(); }

EngineStatistics Engine::statistics() const { return cache_->statistics(); }

}  // namespace ptc
