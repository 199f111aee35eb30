// A run of an agent as a driver sees it, whether a store keeps the run or not.
#pragma once
#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

#include "agents/loop/agent_run.h"
#include "agents/loop/stored_agent.h"

namespace ptcvm::cli {

class AgentHandle {
 public:
  virtual ~AgentHandle() = default;
  virtual const loop::AgentRun& run() const = 0;
  virtual Result<loop::AgentState> step() = 0;
  virtual Result<void> resolve_model(std::string_view path, const loop::ModelReply& reply) = 0;
  virtual Result<void> defer_model(std::string_view path, std::int64_t due_ms) = 0;
  // Takes a request back that nobody was sent: it is not charged. A later step() makes it again.
  virtual Result<void> unsend_model(std::string_view path) = 0;
  virtual Result<void> resolve(std::string_view path, ValueView value) = 0;
  virtual Result<void> reject(std::string_view path, std::string_view why) = 0;
  virtual Result<void> pend(std::string_view path) = 0;
  virtual Result<void> begin_call(std::string_view path) = 0;
  virtual Result<void> input(std::string_view text) = 0;
  virtual Result<void> raise(std::string_view limit, std::uint64_t by) = 0;
  virtual Result<void> lower(std::string_view limit, std::uint64_t most) = 0;
  // Says that nobody knows whether a call happened: a person decides.
  virtual Result<void> doubt(std::string_view path) = 0;
  virtual Result<void> advance() = 0;   // takes over the time of the clock
  virtual std::uint64_t fencing_token() const { return 0; }   // what tools are told; 0: no store keeps the run
};

// A run in memory. The clock gives ms since 1970.
class MemoryAgent : public AgentHandle {
 public:
  MemoryAgent(loop::AgentRun run, std::function<std::int64_t()> clock)
      : run_(std::move(run)), clock_(std::move(clock)) {}
  const loop::AgentRun& run() const override { return run_; }
  Result<loop::AgentState> step() override { return run_.step(); }
  Result<void> resolve_model(std::string_view path, const loop::ModelReply& reply) override;
  Result<void> defer_model(std::string_view path, std::int64_t due_ms) override {
    return now().defer_model(path, due_ms);
  }
  Result<void> unsend_model(std::string_view path) override;
  Result<void> resolve(std::string_view path, ValueView value) override { return now().resolve(path, value); }
  Result<void> reject(std::string_view path, std::string_view why) override { return now().reject(path, why); }
  Result<void> pend(std::string_view path) override { return now().pend(path); }
  Result<void> begin_call(std::string_view path) override { return now().begin_call(path); }
  Result<void> input(std::string_view text) override { return now().input(text); }
  Result<void> raise(std::string_view limit, std::uint64_t by) override { return now().raise(limit, by); }
  Result<void> lower(std::string_view limit, std::uint64_t most) override { return now().lower(limit, most); }
  Result<void> doubt(std::string_view path) override { return now().doubt(path); }
  Result<void> advance() override;

 private:
  loop::AgentRun& now();

  loop::AgentRun run_;
  std::function<std::int64_t()> clock_;
};

// A run that a store keeps.
class KeptAgent : public AgentHandle {
 public:
  explicit KeptAgent(loop::StoredAgent stored) : stored_(std::move(stored)) {}
  const loop::AgentRun& run() const override { return stored_.run(); }
  Result<loop::AgentState> step() override { return stored_.step(); }
  Result<void> resolve_model(std::string_view path, const loop::ModelReply& reply) override {
    return stored_.resolve_model(path, reply);
  }
  Result<void> defer_model(std::string_view path, std::int64_t due_ms) override {
    return stored_.defer_model(path, due_ms);
  }
  Result<void> unsend_model(std::string_view path) override { return stored_.defer_model(path, 0); }
  Result<void> resolve(std::string_view path, ValueView value) override { return stored_.resolve(path, value); }
  Result<void> reject(std::string_view path, std::string_view why) override { return stored_.reject(path, why); }
  Result<void> pend(std::string_view path) override { return stored_.pend(path); }
  Result<void> begin_call(std::string_view path) override { return stored_.begin_call(path); }
  Result<void> input(std::string_view text) override { return stored_.input(text); }
  Result<void> raise(std::string_view limit, std::uint64_t by) override { return stored_.raise(limit, by); }
  Result<void> lower(std::string_view limit, std::uint64_t most) override { return stored_.lower(limit, most); }
  Result<void> doubt(std::string_view path) override { return stored_.doubt(path); }
  Result<void> advance() override { return stored_.advance(); }
  std::uint64_t fencing_token() const override { return stored_.fencing_token(); }
  loop::StoredAgent& stored() { return stored_; }

 private:
  loop::StoredAgent stored_;
};

}  // namespace ptcvm::cli
