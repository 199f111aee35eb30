// A worker process of the simulation: the worker of the library (api/worker_impl.h), whose three kinds of threads are
// flows of control here: one claims, one beats and rescues, and each run that is executed has one.
#pragma once
#include <memory>
#include <string>

#include "api/worker_impl.h"
#include "tests/simulation/network.h"

namespace ptcvm::simulation {

inline constexpr std::int64_t kLeaseMs = 6'000;

class Node {
 public:
  // `tools` says what the node can do. The queue is "q".
  Node(Flows& flows, Server& server, Story& story, const Faults& faults, const Engine& engine, const Tools& tools,
       const std::string& name);

  void start();
  void kill();                                   // from now on it does nothing more
  void drain();                                  // as by SIGTERM: gives back what it has, and leaves
  bool is_dead() const { return process_.is_dead; }
  bool is_draining() const { return worker_->is_draining; }
  std::uint64_t number() const { return worker_->node; }
  Process& process() { return process_; }

 private:
  void claim_until_over();
  void beat_until_over();
  void execute_ready();
  void fire();
  void flow(std::function<void()> body);
  bool is_idle() const { return worker_->busy == 0 && worker_->ready.empty(); }
  std::int64_t wall() const { return flows_.now() + process_.wall_offset_ms; }

  Flows& flows_;
  Story& story_;
  Process process_;
  std::unique_ptr<Worker::Impl> worker_;
  ptc::RunQueue* queue_ = nullptr;               // the one of the network, which the worker owns
};

}  // namespace ptcvm::simulation
