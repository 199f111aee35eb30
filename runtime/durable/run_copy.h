// Copies of runs: the whole of one in another store, for reading; or its beginning, as a run of its own.
//
// A copy for reading has the fact RunCopied. It can be looked at, and no tool is ever called for it: a run is executed
// in one store. What it would do next is tried on a further copy without that fact, in memory, whose tools are not
// called either (ptcvm resume --recorded).
//
// A fork has the facts of another run up to one of them, under an id and with idempotency keys of its own. So a call
// that it makes is another call than the one of the first run. Calls that were answered up to there are answered for
// the fork, too. Calls that were open there are treated like calls of a process that died: by their effect class.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "runtime/log/fact_store.h"

namespace ptc {

// How a copy came out.
enum class CopyEnd : std::uint8_t {
  Done,
  Missing,     // there is no such run
  NotARun,     // the log has no program: it belongs to a host
  Copy,        // the log is itself a copy for reading
  Left,        // the run was moved to another store
  Exists,      // there is a run of that id already
  NoFact,      // the log has no fact of that number, or no program up to there
  Changing,    // the run is executed, and was never the same for the time of a look
};

struct CopyOptions {
  std::string by;                      // who says so
  std::string place;                   // how people name the source
  std::int64_t now_ms = 0;             // ms since 1970
  std::optional<std::string> tenant;   // whose job the run must be; nullopt: anybody's
  // false: without RunCopied, so that the copy can be stepped; of another copy, too.
  bool is_marked = true;
};

// Copies a run with what is parked. The source is only read. The job of a marked copy is Moved in the target, and says
// whose the copy is. Errors: what the stores say; WrongTenant, also when the target has the name for another tenant.
StoreResult<CopyEnd> copy_run(FactStore& from, FactStore& to, std::string_view run, const CopyOptions& options);
// Makes a run of the facts of another one up to the fact `last`, in the same store. It begins from the top, against its
// log. The new id must belong to the tenant of the run, which is so below the run, and for all runs without a tenant.
// Errors: as above; WrongTenant.
StoreResult<CopyEnd> fork_run(FactStore& store, std::string_view run, std::uint64_t last, std::string_view new_run,
                              const CopyOptions& options);

}   // namespace ptc
