// A session runs one program after another with one memory. Definitions, the journal, cached answers, waiting
// operations and the last three results (*1 *2 *3) go from turn to turn. A turn that fails leaves the definitions as
// they were.
//
//   ptcvm::Session session(engine);
//   session.eval("(def x 20)");
//   session.eval("(+ x 1)").value;   // 21
//
// The thread rules of Run apply to Session, too.
#pragma once
#include "ptcvm/check.hpp"
#include "ptcvm/run.hpp"

namespace ptcvm {

// Runs programs in turns. A Session can be moved, not copied.
class PTCVM_API Session {
 public:
  // Make a session without definitions, or from a snapshot, with the errors of Run::start() and Run::restore().
  static Result<Session> create(const Engine& engine, const RunOptions& options = {});
  static Result<Session> restore(const Engine& engine, std::span<const std::byte> snapshot,
                                 const RestoreOptions& options = {});

  // Load what a session begins with, as EDN text that may hold functions of the language. Errors: invalid_value, and
  // the message says what is wrong; wrong_state after the first turn has begun, for a journal only when no turn waits.
  Result<void> load_definitions(std::string_view edn);   // {:name value}, as definitions_edn() writes it
  Result<void> load_journal(std::string_view edn);       // {"id" value}, as Run::journal_edn() writes it
  Result<void> load_history(std::string_view edn);       // a vector of the last results, oldest first
  Result<void> load_budget(std::string_view edn);        // the map that (budget/remaining) gives
  // Load data for data/…: under a key; or, with the key "", the entries of a map or nil. Later data replaces earlier
  // data.
  Result<void> load_data(std::string_view edn, std::string_view key = {});
  Result<void> load_data_json(std::string_view json, std::string_view key = {});
  // Returns false when something that was loaded does not fit into the memory of the session: every turn ends with
  // memory_exceeded when it begins.
  bool inputs_fit() const;
  std::string data_edn() const;            // returns the data, for StoredOptions::data_edn

  // Compiles the source with the defined names, and steps until the turn is over or waits. When the source cannot be
  // compiled, the outcome has a diagnostic.
  Outcome eval(std::string_view source);
  // Returns every error of the source and what looks like a slip, without running anything: what begin() would refuse,
  // calls with a wrong number of arguments, names that nothing uses or that are defined twice, and data/… that the data
  // of the session lacks. Knows the definitions, data and tools of the session. In the library without a compiler
  // nothing is found.
  ProgramFindings check(std::string_view source) const;
  // Begins the next turn, which the host steps with run(). The reference from run() is valid until the session is
  // destroyed. Error: wrong_state when the last turn is not over.
  Result<void> begin(std::string_view source);
  Result<void> begin(const Program& program);
  Run& run() { return run_; }
  const Run& run() const { return run_; }

  std::string definitions_edn() const;     // returns the definitions, {:name value}
  // Returns everything that goes from turn to turn, for restore().
  std::vector<std::byte> snapshot() const { return run_.snapshot(); }

 private:
  explicit Session(Run run) : run_(std::move(run)) {}
  Run run_;
};

}  // namespace ptcvm
