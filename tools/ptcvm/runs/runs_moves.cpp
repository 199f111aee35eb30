// ptcvm runs move, ptcvm runs fork and ptcvm runs pull: runs in other stores, and copies of runs.
#include <iostream>
#include <memory>
#include <thread>

#include "ptcvm/run_moves.hpp"
#include "tools/ptcvm/calls/kept_tools.h"
#include "tools/ptcvm/commands.h"
#include "tools/ptcvm/process/terminal.h"
#include "tools/ptcvm/store/host_parts.h"
#include "tools/ptcvm/store/postgres_place.h"
#include "tools/ptcvm/store/store_options.h"
#include "tools/ptcvm/text/time_spans.h"

namespace ptcvm::cli {
namespace {

struct RunTransfer {
  StoreOptions store;
  std::string to, new_id;
  std::chrono::milliseconds wait{0};
  std::uint64_t fact = 0;
};

int refuse(const Error& error) {
  if (error.code == Errc::busy) return complain(error.message), kBusy;
  return error.code == Errc::refused ? refuse_input(error.message) : complain_of_store(error);
}

// Source and, unless both are one, target of a command.
class Transfer {
 public:
  explicit Transfer(const RunTransfer& request) : request_(request), from_(request_.store) {}

  int move() {
    int status = kSuccess;
    if (!open(status) || !is_own_run(status)) return status;
    Result<bool> moved = move_run(from_.store(), *to_, run(), options(request_.to));
    const auto until = std::chrono::steady_clock::now() + request_.wait;
    while (!moved && moved.error().code == Errc::busy) {
      if (std::chrono::steady_clock::now() >= until) break;
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
      moved = move_run(from_.store(), *to_, run(), options(request_.to));
    }
    if (!moved) return refuse(moved.error());
    if (!carry_tools(*to_, run(), status)) return status;
    std::cout << run() << (*moved ? " is in " : " was moved before, to ") << shown_place(request_.to) << '\n';
    return kSuccess;
  }

  int fork() {
    int status = kSuccess;
    if (!from_.open(StoreUse::Existing, status) || !is_own_run(status)) return status;
    const auto forked = fork_run(from_.store(), run(), request_.fact, request_.new_id, options(""));
    if (!forked) return refuse(forked.error());
    if (!carry_tools(from_.store(), request_.new_id, status)) return status;
    std::cout << request_.new_id << " has the first " << request_.fact << " facts of " << run() << ": `ptcvm resume "
              << request_.new_id << ' ' << store_words(request_.store) << "` goes on with it\n";
    return kSuccess;
  }

  int pull() {
    int status = kSuccess;
    if (!open(status) || !is_own_run(status)) return status;
    const auto pulled = pull_run(from_.store(), *to_, run(), options(request_.store.path));
    if (!pulled) return refuse(pulled.error());
    if (!carry_tools(*to_, run(), status)) return status;
    std::cout << run() << " is copied for reading: `ptcvm resume " << run() << " --recorded " << store_words(target())
              << "` goes on with it\n";
    return kSuccess;
  }

 private:
  const std::string& run() const { return request_.store.id; }

  StoreOptions target() const {
    StoreOptions out = request_.store;
    out.path = request_.to;
    return out;
  }

  bool open(int& status) {
    if (!from_.open(StoreUse::Existing, status)) return false;
    std::string message;
    to_ = open_store(target(), StoreUse::Create, message, status);
    if (!to_) complain(message);
    return to_.has_value();
  }

  bool is_own_run(int& status) {
    const auto own = refuse_host_part(from_.store(), run());
    if (!own) status = refuse(own.error());
    return own.has_value();
  }

  MoveOptions options(const std::string& place) const {
    MoveOptions out;
    out.by = from_.by();
    out.place = shown_place(place);
    if (request_.store.keys.empty()) out.tenant = request_.store.tenant;
    return out;
  }

  // What files said of the tools of the run is in a log beside it.
  bool carry_tools(const Store& to, const std::string& new_run, int& status) {
    const auto tools = kept_tools(from_.store(), run());
    const auto kept = tools ? keep_tools(to, new_run, *tools) : Result<std::vector<std::string>>(tools.error());
    if (!kept) status = complain_of_store(kept.error());
    return kept.has_value();
  }

  const RunTransfer& request_;
  StoreCommand from_;
  std::optional<Store> to_;
};

std::shared_ptr<RunTransfer> declare_transfer(CLI::App& command) {
  auto request = std::make_shared<RunTransfer>();
  declare_store(command, request->store);
  command
      .add_option("--keys", request->store.keys, "Key ring of sealed stores: it must have sealed both, or they are new")
      ->type_name("RING");
  command.add_option("--tenant", request->store.tenant, "Whose run it is");
  declare_author(command, request->store);
  return request;
}

void declare_target(CLI::App& command, RunTransfer& request) {
  command.add_option("--to", request.to, "The other store: a file, which is made when it is not there, or a URL")
      ->required()
      ->type_name("FILE");
}

constexpr const char* kMoveExamples = R"(Examples:
  ptcvm runs move order-17 --store runs.db --to postgresql:///runs
  ptcvm runs move order-17 --store postgresql:///runs --to runs.db --wait 30s

The run goes with its log, what is parked and its place in a queue. Its old store refuses it from then on by the name
run_moved, and says where it is. A move that was cut off is ended by the same command; until then nobody can execute
the run. A run that is being executed is refused (status 69), or waited for. Runs that come after others, or before
them, and logs of agents, chains and conversations stay.)";

constexpr const char* kForkExamples = R"(Examples:
  ptcvm journal show order-17 --store runs.db
  ptcvm runs fork order-17 --at 12 --as order-17-again --store runs.db

The new run has the facts up to that one. What was committed and answered there stays so. Its calls have keys of its
own. A call that was open at that fact is made again or is in doubt, as its effect class says. A fork of a tenant's run
has a name below it: order-17/again.)";

constexpr const char* kPullExamples = R"(Examples:
  ptcvm runs pull order-17 --store postgresql:///runs --to order-17.db
  ptcvm resume order-17 --recorded --store order-17.db --tools tools.json

The copy is for reading: the commands that look at runs take it, and `ptcvm resume --recorded` goes on with it in memory
without calling a tool. The source is only read.)";

}  // namespace

void add_runs_moves(CLI::App& runs, int& status) {
  CLI::App* const move = runs.add_subcommand("move", "Move a run to another store");
  const auto moved = declare_transfer(*move);
  declare_run_id(*move, moved->store);
  declare_target(*move, *moved);
  add_span(*move, "--wait", moved->wait, "How long to wait for a process that executes the run");
  move->footer(kMoveExamples);
  move->callback([moved, &status] { status = Transfer(*moved).move(); });

  CLI::App* const fork = runs.add_subcommand("fork", "Begin a run with the first facts of another one");
  const auto forked = declare_transfer(*fork);
  declare_run_id(*fork, forked->store, "The run that is there");
  fork->add_option("--at", forked->fact, "The last fact that the new run has, as `ptcvm journal show` numbers them")
      ->required();
  fork->add_option("--as", forked->new_id, "The new run; beside an argument, --id is taken for it, too")
      ->required()
      ->type_name("ID");
  fork->footer(kForkExamples);
  fork->callback([forked, &status] { status = Transfer(*forked).fork(); });

  CLI::App* const pull = runs.add_subcommand("pull", "Copy a run to a file, to try what it does next");
  const auto pulled = declare_transfer(*pull);
  declare_run_id(*pull, pulled->store);
  declare_target(*pull, *pulled);
  pull->footer(kPullExamples);
  pull->callback([pulled, &status] { status = Transfer(*pulled).pull(); });
}

}  // namespace ptcvm::cli
