#include "tests/simulation/network.h"

#include <algorithm>

namespace ptcvm::simulation {
namespace {

using Kind = ptc::StoreError::Kind;

constexpr std::int64_t kPatienceMs = 4'000;   // how long a call is made again
constexpr std::int64_t kSlowestMs = 8'000;    // how long a packet is under way

std::uint64_t head_in(const ptc::Written& written) { return written.head; }
std::uint64_t head_in(const std::optional<ptc::Written>& written) { return written ? written->head : 0; }
template <class T>
std::uint64_t head_in(const T&) {
  return 0;
}

std::vector<ptc::Fact> copy_of(std::span<const ptc::Fact> facts) { return {facts.begin(), facts.end()}; }

}  // namespace

void Network::tell(const Sent& sent, const std::string& outcome) {
  if (!story_.is_told()) return;
  const std::string about = sent.run.empty() ? "" : " " + std::string(sent.run);
  const bool is_quiet = sent.is_quiet && outcome.empty();
  story_.tell(flows_.now(), sent.run, process_.name + " " + sent.what + about + outcome, is_quiet);
}

bool Network::passes(std::int64_t one_is_lost_in) {
  const std::int64_t delay = flows_.below(3) + (flows_.chance(faults_.slow) ? flows_.below(kSlowestMs) : 0);
  if (delay != 0) flows_.sleep(delay);
  const bool is_lost = flows_.chance(one_is_lost_in) && !process_.is_trusted;
  if (is_lost && flows_.chance(4)) process_.cut_until_ms = flows_.now() + flows_.below(2 * kPatienceMs);
  return !is_lost && process_.cut_until_ms <= flows_.now();
}

template <class T>
ptc::StoreResult<T> Network::travel(const Sent& sent, const Call<T>& call) {
  const ptc::StoreError dead{Kind::Io, "the process is dead"};
  if (process_.is_dead) return dead;
  const std::int64_t give_up = flows_.now() + kPatienceMs;
  std::optional<ptc::StoreResult<T>> done;      // what the server did
  std::uint64_t commit = 0;                     // and the number of that
  bool has_arrived = false;
  for (std::int64_t pause = 20;; pause = std::min<std::int64_t>(2 * pause, 500)) {
    has_arrived = passes(faults_.lost_request);
    if (process_.is_dead) return dead;
    if (has_arrived) {
      const bool is_found = sent.is_write && done && server_.has_commit(commit);
      if (!is_found) {
        done = call();
        commit = server_.last_commit();
      }
      const auto* const error = std::get_if<ptc::StoreError>(&*done);
      tell(sent, error == nullptr ? "" : ": " + std::string(ptc::store_error_name(error->kind)));
      const bool is_answered = passes(faults_.lost_answer);
      if (process_.is_dead) return dead;
      if (is_answered) return *std::move(done);
    }
    if (!sent.is_quiet) tell(sent, has_arrived ? ": the answer is lost" : ": the request is lost");
    if (flows_.now() + pause >= give_up) break;
    flows_.sleep(pause);
  }
  return given_up<T>(sent, call, done.has_value(), !has_arrived);
}

// What was sent last may still be under way, and is done when nobody waits for it any more.
template <class T>
ptc::StoreResult<T> Network::given_up(const Sent& sent, const Call<T>& call, bool may_be_done, bool is_under_way) {
  tell(sent, ": nobody knows whether that was done");
  if (sent.is_write && is_under_way && flows_.chance(2)) {
    flows_.spawn([this, sent, run = std::string(sent.run), call] {
      flows_.sleep(flows_.below(kSlowestMs));
      tell({sent.what, run, true}, ", late");
      (void)call();
    });
    may_be_done = true;
  }
  const bool is_unknown = sent.is_write && (may_be_done || flows_.chance(2));
  return ptc::StoreError{is_unknown ? Kind::Unknown : Kind::Io, "no answer"};
}

std::uint64_t Network::nonce_of(std::string_view log, std::uint64_t token) const {
  const auto at = held_.find(log);
  return at == held_.end() || at->second.token != token ? 0 : at->second.nonce;
}

template <class T>
ptc::StoreResult<T> Network::write(const char* what, std::string_view log, ptc::Cut cut, const Call<T>& call) {
  const std::string run(log);
  const auto own = held_.find(run);
  const bool is_own = own != held_.end() && own->second.token == cut.token && !own->second.is_doubtful;
  const ptc::StoreError fenced{Kind::Fenced, "the claim is not the newest any more"};
  if (cut.token != 0 && !is_own) return fenced;
  const Checker::Writer writer{run, cut.token, cut.token == 0 ? 0 : own->second.nonce};
  // The mistake: the claim is looked at before the write is under way.
  const bool looks_early = server_.mutant() == Mutant::FenceWithoutALock && cut.token != 0;
  if (looks_early && server_.nonce_of(run) != writer.nonce) return fenced;
  const Call<T> there = [&server = server_, run, writer, call] { return server.write<T>(run, writer, call); };
  auto out = travel<T>({what, log, true}, there);
  const auto* const error = std::get_if<ptc::StoreError>(&out);
  if (error != nullptr && error->kind == Kind::Unknown && cut.token != 0) {
    if (const auto at = held_.find(run); at != held_.end()) at->second.is_doubtful = true;
  }
  if (error == nullptr) server_.checker().acknowledged(run, head_in(std::get<T>(out)));
  return out;
}

template <class T>
ptc::StoreResult<T> Network::order(const Sent& sent, const Call<T>& call) {
  const std::string run(sent.run);
  return travel<T>(sent, [&server = server_, run, call] { return server.commit<T>(run, call); });
}

// What a body keeps is its own: it is called again when another copy of the store takes over.
ptc::StoreResult<ptc::Written> Network::put(std::string_view log, ptc::Cut cut, std::span<const ptc::Fact> facts,
                                            ptc::Durability durability) {
  return write<ptc::Written>("puts facts of", log, cut, [this, log = std::string(log), cut, own = copy_of(facts),
                                                         durability] {
    return server_.store().put(log, cut, own, durability);
  });
}
ptc::StoreResult<ptc::Decided> Network::decide(std::string_view log, ptc::Cut cut, std::span<const ptc::Fact> facts) {
  return write<ptc::Decided>("decides about", log, cut, [this, log = std::string(log), cut, own = copy_of(facts)] {
    return server_.store().decide(log, cut, own);
  });
}
ptc::StoreResult<ptc::ParkResult> Network::park(std::string_view log, ptc::Cut cut, std::span<const ptc::Fact> facts,
                                                const ptc::Parked& run) {
  return write<ptc::ParkResult>("parks", log, cut, [this, log = std::string(log), cut, own = copy_of(facts), run] {
    return server_.store().park(log, cut, own, run);
  });
}
ptc::StoreResult<ptc::Written> Network::resumed(std::string_view log, ptc::Cut cut,
                                                std::span<const ptc::Fact> facts) {
  return write<ptc::Written>("resumes", log, cut, [this, log = std::string(log), cut, own = copy_of(facts)] {
    return server_.store().resumed(log, cut, own);
  });
}
ptc::StoreResult<ptc::Written> Network::ended(std::string_view log, ptc::Cut cut, std::span<const ptc::Fact> facts) {
  return write<ptc::Written>("ends", log, cut, [this, log = std::string(log), cut, own = copy_of(facts)] {
    return server_.store().ended(log, cut, own);
  });
}

ptc::StoreResult<std::optional<ptc::Written>> Network::end_job(std::string_view log, ptc::Cut cut,
                                                               const ptc::Fact& end, std::int64_t now_ms) {
  using Done = std::optional<ptc::Written>;
  const Call<Done> body = [&server = server_, log = std::string(log), cut, end, now = server_.clock(now_ms)] {
    auto done = server.store().end_job(log, cut, end, now);
    const auto* const written = std::get_if<Done>(&done);
    if (written != nullptr && *written) server.checker().rescued_no_more(log);
    return done;
  };
  auto out = write<Done>("ends and gives back", log, cut, body);
  const auto* const done = std::get_if<Done>(&out);
  if (done != nullptr && *done) held_.erase(held_.find(log));
  return out;
}

ptc::StoreResult<std::vector<ptc::Fact>> Network::read(std::string_view log, std::uint64_t after, std::size_t most) {
  return look<std::vector<ptc::Fact>>("reads", log, [&] { return server_.store().read(log, after, most); });
}
ptc::StoreResult<std::optional<ptc::Fact>> Network::find(std::string_view log, std::string_view key) {
  return look<std::optional<ptc::Fact>>("looks up a fact of", log, [&] { return server_.store().find(log, key); });
}
ptc::StoreResult<std::vector<ptc::Fact>> Network::open_calls(std::string_view log) {
  return look<std::vector<ptc::Fact>>("reads calls of", log, [&] { return server_.store().open_calls(log); });
}
ptc::StoreResult<std::optional<ptc::Parked>> Network::parked(std::string_view log) {
  return look<std::optional<ptc::Parked>>("reads the snapshot of", log, [&] { return server_.store().parked(log); });
}
ptc::StoreResult<std::optional<ptc::RunInfo>> Network::info(std::string_view log) {
  return look<std::optional<ptc::RunInfo>>("looks at", log, [&] { return server_.store().info(log); });
}
ptc::StoreResult<std::vector<ptc::RunInfo>> Network::runs(std::string_view after, std::size_t most) {
  return look<std::vector<ptc::RunInfo>>("lists runs after", after, [&] { return server_.store().runs(after, most); });
}

ptc::StoreResult<ptc::NodeRow> Network::join(const ptc::NodeInfo& node, std::int64_t now_ms) {
  return order<ptc::NodeRow>({"joins", "", true}, [&server = server_, node, now = server_.clock(now_ms), tools = tools_,
                                                   real = server_.real_ms()] {
    auto out = server.store().queue()->join(node, now);
    if (const auto* row = std::get_if<ptc::NodeRow>(&out)) {
      server.has_node(row->id);
      server.checker().joined(*row, real, tools);
    }
    return out;
  });
}

ptc::StoreResult<ptc::Heartbeat> Network::beat(std::uint64_t node, std::int64_t now_ms) {
  const Call<ptc::Heartbeat> call = [&server = server_, node, now_ms] {
    return server.commit<ptc::Heartbeat>("", [&server, node, now = server.clock(now_ms), real = server.real_ms()] {
      auto out = server.store().queue()->beat(node, now);
      if (const auto* told = std::get_if<ptc::Heartbeat>(&out); told != nullptr && told->is_alive) {
        server.checker().beaten(node, real);
      }
      return out;
    });
  };
  return travel<ptc::Heartbeat>({"beats", "", false, true}, call);
}

ptc::StoreResult<bool> Network::leave(std::uint64_t node, std::int64_t now_ms) {
  return order<bool>({"leaves", "", true}, [&server = server_, node, now = server_.clock(now_ms)] {
    server.checker().left(node);
    server.touches_all();
    return server.store().queue()->leave(node, now);
  });
}

ptc::StoreResult<std::vector<ptc::Enqueued>> Network::enqueue(std::span<const ptc::Job> jobs, std::int64_t now_ms) {
  (void)jobs, (void)now_ms;
  return unused();
}

ptc::StoreResult<std::vector<ptc::ClaimedRun>> Network::claim_next(std::uint64_t node, std::string_view queue,
                                                                   std::span<const std::string> tools,
                                                                   std::size_t most, std::int64_t now_ms) {
  using Runs = std::vector<ptc::ClaimedRun>;
  std::vector<std::uint64_t> nonces(most);
  for (std::uint64_t& nonce : nonces) nonce = server_.fresh_nonce();
  const Call<Runs> call = [&server = server_, node, queue = std::string(queue),
                           names = std::vector(tools.begin(), tools.end()), most, now_ms, nonces] {
    return server.commit<Runs>("", [&server, node, queue, names, most, now = server.clock(now_ms), nonces] {
      auto runs = server.store().queue()->claim_next(node, queue, names, most, now);
      const auto* const claimed = std::get_if<Runs>(&runs);
      for (std::size_t i = 0; claimed != nullptr && i < claimed->size(); ++i) {
        server.touches_all();
        server.set_nonce((*claimed)[i].log, nonces[i]);
        server.checker().claimed((*claimed)[i].log, node, (*claimed)[i].token, nonces[i]);
      }
      return runs;
    });
  };
  auto out = travel<Runs>({"looks for runs", "", true, true}, call);
  if (const auto* claimed = std::get_if<Runs>(&out)) {
    for (std::size_t i = 0; i < claimed->size(); ++i) {
      held_[(*claimed)[i].log] = {(*claimed)[i].token, nonces[i], false};
      tell({"has", (*claimed)[i].log}, " under claim " + std::to_string((*claimed)[i].token));
    }
  }
  return out;
}

ptc::StoreResult<bool> Network::finish(std::string_view log, std::uint64_t token, const ptc::Finish& how,
                                       std::int64_t now_ms) {
  const std::uint64_t nonce = nonce_of(log, token);
  if (nonce == 0) return false;
  const Call<bool> body = [&server = server_, log = std::string(log), token, how, nonce,
                           now = server_.clock(now_ms)]() -> ptc::StoreResult<bool> {
    if (server.mutant() != Mutant::NoNonce && server.nonce_of(log) != nonce) return false;
    auto done = server.store().queue()->finish(log, token, how, now);
    const auto* const is_done = std::get_if<bool>(&done);
    if (is_done != nullptr && *is_done) server.checker().rescued_no_more(log);
    return done;
  };
  auto out = order<bool>({"gives back", log, true}, body);
  const auto at = held_.find(log);
  if (std::holds_alternative<bool>(out) && at != held_.end() && at->second.token == token) held_.erase(at);
  return out;
}

ptc::StoreResult<std::vector<std::string>> Network::give_back_others(std::uint64_t node,
                                                                     std::span<const ptc::KnownClaim> known,
                                                                     std::int64_t now_ms) {
  using Logs = std::vector<std::string>;
  const Call<Logs> call = [&server = server_, node, claims = std::vector(known.begin(), known.end()), now_ms] {
    return server.commit<Logs>("", [&server, node, claims, now = server.clock(now_ms)] {
      auto logs = server.store().queue()->give_back_others(node, claims, now);
      if (const auto* runs = std::get_if<Logs>(&logs); runs != nullptr && !runs->empty()) server.touches_all();
      return logs;
    });
  };
  return travel<Logs>({"gives back what it does not know", "", false, true}, call);
}

ptc::StoreResult<std::vector<std::string>> Network::rescue(std::size_t most, std::int64_t now_ms) {
  using Logs = std::vector<std::string>;
  const Call<Logs> call = [this, most, now_ms] {
    auto out = server_.commit<Logs>("", [&server = server_, most, now = server_.clock(now_ms),
                                         real = server_.real_ms()] {
      auto logs = server.store().queue()->rescue(most, now);
      if (const auto* runs = std::get_if<Logs>(&logs); runs != nullptr && !runs->empty()) {
        server.touches_all();
        server.checker().rescued(*runs, real, server.store());
      }
      return logs;
    });
    for (const std::string& run : std::get<Logs>(out)) tell({"takes", run}, " from a node whose lease is over");
    return out;
  };
  return travel<Logs>({"looks for dead nodes", "", false, true}, call);
}

ptc::StoreResult<bool> Network::cancel(std::string_view log, std::string_view tenant, std::string_view reason,
                                       std::string_view by, std::int64_t now_ms) {
  return order<bool>({"cancels", log, true}, [&server = server_, log = std::string(log), tenant = std::string(tenant),
                                              reason = std::string(reason), by = std::string(by),
                                              now = server_.clock(now_ms)] {
    return server.store().queue()->cancel(log, tenant, reason, by, now);
  });
}

ptc::StoreResult<bool> Network::retry(std::string_view log, std::string_view tenant, std::int64_t now_ms) {
  return order<bool>({"tries again", log, true}, [&server = server_, log = std::string(log),
                                                  tenant = std::string(tenant), now = server_.clock(now_ms)] {
    server.checker().rescued_no_more(log);
    return server.store().queue()->retry(log, tenant, now);
  });
}

ptc::StoreResult<std::optional<ptc::JobRow>> Network::job(std::string_view log) {
  return look<std::optional<ptc::JobRow>>("asks for", log, [&] { return server_.store().queue()->job(log); });
}

ptc::StoreResult<std::vector<ptc::ScheduleRow>> Network::schedules() {
  using Rows = std::vector<ptc::ScheduleRow>;
  return look<Rows>("lists schedules", "", [&] { return server_.store().queue()->schedules(); });
}

ptc::StoreResult<bool> Network::fire(std::string_view name, const ptc::Firing& moments,
                                     std::span<const ptc::Job> jobs, std::int64_t now_ms) {
  const Call<bool> body = [&server = server_, name = std::string(name), moments,
                           jobs = std::vector(jobs.begin(), jobs.end()), now = server_.clock(now_ms)] {
    auto out = server.store().queue()->fire(name, moments, jobs, now);
    const auto* const is_fired = std::get_if<bool>(&out);
    if (is_fired != nullptr && *is_fired) server.checker().fired(name + "/" + std::to_string(moments.due_ms));
    return out;
  };
  return order<bool>({"fires a schedule", "", true, true}, body);
}

}  // namespace ptcvm::simulation
