// What the service does, without HTTP: runs programs, lets them wait for webhooks, and shows what became of them. All
// state is in the store, so a process may die at any time and the next one goes on.
//
// Any number of threads may call; a call takes as long as the program runs until it waits.
#pragma once
#include <boost/json.hpp>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "ptcvm/ptcvm.hpp"

struct Reply {
  unsigned status = 200;          // as in HTTP
  boost::json::object body;
};

// The outside world of the example: orders that were shipped, a line each. A key is shipped once.
class Ledger {
 public:
  explicit Ledger(std::string path);
  void ship(std::string_view key, std::string_view order);

 private:
  std::string path_;
  std::mutex mutex_;
  std::set<std::string, std::less<>> keys_;
};

class RunService {
 public:
  RunService(ptcvm::Store store, std::string ledger_path);

  Reply start(const boost::json::object& request);      // {"program": text, "data": {…}}
  Reply resolve(const std::string& run, const std::string& operation, const boost::json::object& request);
  Reply look(const std::string& run) const;

  // Runs that something woke; and, when a process begins, those that another one left behind in the middle.
  std::vector<std::string> woken() const;
  std::vector<std::string> interrupted() const;
  void go_on(const std::string& run);

 private:
  template <class Step>
  void execute(const std::string& run, Step step);
  void advance(const std::string& run);
  ptcvm::StoredOptions options(const std::string& run) const;

  ptcvm::Engine engine_;
  mutable ptcvm::Store store_;
  Ledger ledger_;
  ptcvm::Tools tools_;
  std::mutex mutex_;
  std::map<std::string, bool> executing_;   // true: something came meanwhile, look again
};
