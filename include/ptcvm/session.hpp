// A session: one program after another with one memory. Definitions, the journal, cached answers, waiting operations
// and the last three results (*1 *2 *3) go from turn to turn; a turn that fails leaves the definitions as they were.
//
//   ptcvm::Session session(engine);
//   session.eval("(def x 20)");
//   session.eval("(+ x 1)").value;   // 21
//
// Thread rules are those of Run.
#pragma once
#include "ptcvm/run.hpp"

namespace ptcvm {

// Movable, not copyable.
class PTCVM_API Session {
 public:
  // invalid_signature, invalid_value; as Run::start().
  static Result<Session> create(const Engine& engine, const RunOptions& options = {});
  static Result<Session> restore(const Engine& engine, std::span<const std::byte> snapshot,
                                 const RestoreOptions& options = {});

  // Compiles with the names that are defined and runs until the turn is over or nothing goes on by itself. A source
  // that cannot be compiled is an outcome with a diagnostic.
  Outcome eval(std::string_view source);
  // The next turn, to be stepped: run() is valid until the session is destroyed. wrong_state: a turn is not over.
  Result<void> begin(std::string_view source);
  Result<void> begin(const Program& program);
  Run& run() { return run_; }
  const Run& run() const { return run_; }

  std::string definitions_edn() const;     // {:name value}
  // Everything that goes from turn to turn, for restore().
  std::vector<std::byte> snapshot() const { return run_.snapshot(); }

 private:
  explicit Session(Run run) : run_(std::move(run)) {}
  Run run_;
};

}  // namespace ptcvm
