// One program with a log in a store, run as often as one likes; what its tools did is counted. Shared by the tests that
// run many programs: run_durable_matrix.cpp, run_journal_shapes.cpp.
#pragma once
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "runtime/durable/durable_run.h"

namespace ptc::test {

struct CaseTool {
  std::string name;
  EffectClass effect{};
  std::string answer;          // EDN
  std::string error;           // not empty: it fails with this, and nothing has happened
};

struct DurableProgram {
  std::string source;
  std::vector<CaseTool> tools;
  SessionOptions session;      // limits and timeout; the name of the run is the case's
};

// What one execution came to.
struct DurableSeen {
  DurableEnd end{};
  std::string status, kind, message;             // `kind` is the kind of the fault
  std::map<std::string, std::string> journal;    // what the log says afterwards
  std::vector<std::string> charges;              // keys of the effects of this execution, in order
  std::vector<std::string> task_charges;         // those that happened inside of a task
};

class DurableCase {
 public:
  // All of these must outlive it.
  DurableCase(const Engine& engine, FactStore& store, std::string run_id, const DurableProgram& program);

  DurableSeen run();
  // The same by a process that dies before it can write that the turn has ended: what is left is run from the top.
  DurableSeen run_and_die();

 private:
  DurableSeen run_on(FactStore& store);

  const Engine& engine_;
  FactStore& store_;
  const std::string run_id_;
  const DurableProgram& program_;
};

std::string seen_text(const DurableSeen& seen);

class PostgresServer;

// The stores that such programs run on: in memory, SQLite in a file that goes with the object, and, where it is built,
// PostgreSQL with a server that goes with the object.
class CaseStores {
 public:
  CaseStores();
  ~CaseStores();
  CaseStores(const CaseStores&) = delete;
  CaseStores& operator=(const CaseStores&) = delete;

  const std::vector<std::pair<std::string, std::unique_ptr<FactStore>>>& all() const { return stores_; }

 private:
  void add_postgres();

  std::string folder_;
  std::shared_ptr<PostgresServer> server_;   // null without PostgreSQL
  std::vector<std::pair<std::string, std::unique_ptr<FactStore>>> stores_;
};

}  // namespace ptc::test
