#include "tests/simulation/server.h"

#include <algorithm>

namespace ptcvm::simulation {

Server::Server(Flows& flows, Checker& checker, Mutant mutant, bool may_lose)
    : flows_(flows), checker_(checker), mutant_(mutant), may_lose_(may_lose), store_(store_with(mutant)) {}

void Server::play(const Commit& commit) {
  constexpr std::uint64_t kCommitsBetweenLooksAtAll = 50;   // each event says what it touches, and may be wrong
  if (commit.writer) checker_.writes(*commit.writer);
  touches_all_ = commit.id % kCommitsBetweenLooksAtAll == 0;
  commit.body();
  if (touches_all_) {
    checker_.look_at_all(*store_, real_ms());
  } else if (!commit.log.empty()) {
    checker_.look(*store_, commit.log, real_ms());
  }
  checker_.wrote();
}

bool Server::has_commit(std::uint64_t id) const {
  return !may_lose_ || std::ranges::binary_search(commits_, id, {}, &Commit::id);
}

void Server::lose(std::size_t count) {
  count = std::min(count, commits_.size() - settled_);
  commits_.resize(commits_.size() - count);
  checker_.forgets();
  nonces_.clear();
  store_ = store_with(mutant_);
  for (const Commit& again : commits_) play(again);
  skip_numbers_of_nodes();
}

// A sequence of PostgreSQL writes down 32 numbers ahead, so a standby does not give the last ones again (0041).
void Server::skip_numbers_of_nodes() {
  (void)commit<bool>("", [this, newest = newest_node_]() -> ptc::StoreResult<bool> {
    ptc::NodeInfo nobody;
    nobody.name = nobody.owner = "nobody";
    for (std::uint64_t id = 0; id < newest;) {
      id = std::get<ptc::NodeRow>(store_->queue()->join(nobody, kStartMs)).id;
      (void)store_->queue()->leave(id, kStartMs);
    }
    return true;
  });
}

}  // namespace ptcvm::simulation
