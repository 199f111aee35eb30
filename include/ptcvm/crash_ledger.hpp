// The ledger of the crash kit: a process of its own that keeps what really happened while all other processes are
// killed. Part of the component crash_kit.
//
// A tool of the program under test calls record() at the moment of its effect. When record() returns, the ledger has
// the entry. When the process of the tool dies before that, the ledger has the entry or not: any outside system behaves
// like that. Children of the process that started the ledger can use it. The ledger ends with its object, or with the
// process that started it.
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ptcvm/tools.hpp"

namespace ptcvm::crash {

// One effect.
struct LedgerEntry {
  std::string tool, args, key;   // name; arguments as EDN; ToolCall::idempotency_key()
  std::string value;             // the result of the effect as EDN, also one that the program gets later; may be ""
};

// Movable, not copyable. Threads and processes may use one ledger at the same time. A process that loses its ledger
// aborts: an effect that nobody can write down must not go on.
class PTCVM_API Ledger {
 public:
  struct Impl;   // belongs to the library
  // Starts the process. `folder` is where its socket is made; "": the system's folder for temporary files.
  // store_failed: no folder, no socket or no process could be made.
  static Result<Ledger> start(const std::string& folder = {});
  Ledger(Ledger&& moved) noexcept;
  Ledger& operator=(Ledger&& moved) noexcept;
  ~Ledger();

  // Adds an entry. Returns the value of the first entry with this key: that is what an outside system answers that
  // knows keys.
  std::string record(std::string_view tool, std::string_view args, std::string_view key, std::string_view value = {});
  // Adds an entry for the call, with its tool, arguments and key. Returns as above.
  std::string record(const ToolCall& call, std::string_view value = {});
  // Adds an entry for the call and returns the recorded value as its reply: for tools that do nothing else.
  ToolReply happened(ToolCall& call, std::string_view value_edn);

  // Returns all entries in the order in which they happened.
  std::vector<LedgerEntry> entries() const;
  // Returns the first entry with this key, or nullopt.
  std::optional<LedgerEntry> find(std::string_view key) const;
  // Removes all entries.
  void clear();

 private:
  friend struct LedgerAccess;
  explicit Ledger(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace ptcvm::crash
