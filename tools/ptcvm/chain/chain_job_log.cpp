#include "tools/ptcvm/chain/chain_job_log.h"

#include <boost/json.hpp>
#include <utility>

#include "agents/loop/letters.h"
#include "agents/loop/stored_facts.h"
#include "tools/ptcvm/chain/chain_setup.h"
#include "tools/ptcvm/text/json_members.h"

namespace ptcvm::cli {
namespace {

namespace json = boost::json;

constexpr std::string_view kAsked = "chain_asked", kReplied = "chain_replied", kRefused = "chain_refused",
                           kLost = "chain_lost", kSaid = "chain_said";
constexpr std::int64_t kLeaseMs = 60'000;   // the lease of the worker counts
constexpr std::size_t kPage = 1'000;
constexpr const char* kAnswers[] = {"happened", "did_not", "give_up"};

std::optional<json::object> body_of(const HostFact& fact) {
  boost::system::error_code error;
  json::value body = json::parse(fact.body, error);
  if (error || !body.is_object()) return std::nullopt;
  return std::move(body.get_object());
}

template <class T>
T number_of(const json::object& body, std::string_view name) {
  const json::value* const found = body.if_contains(name);
  boost::system::error_code error;
  const T number = found == nullptr ? T() : found->to_number<T>(error);
  return error ? T() : number;
}

DoubtAnswer answer_of(std::string_view name) {
  if (name == kAnswers[0]) return DoubtAnswer::Happened;
  return name == kAnswers[1] ? DoubtAnswer::DidNot : DoubtAnswer::GiveUp;
}

const char* name_of(DoubtAnswer answer) {
  if (answer == DoubtAnswer::Happened) return kAnswers[0];
  return answer == DoubtAnswer::DidNot ? kAnswers[1] : kAnswers[2];
}

std::string numbered(const std::string& key, std::uint32_t attempt) { return key + " #" + std::to_string(attempt); }

}  // namespace

Result<ChainJobLog> ChainJobLog::open(const Store& store, const std::string& id, bool keeps_requests,
                                      std::function<std::int64_t()> clock) {
  ChainJobLog made(HostLog::of(store, id), std::move(clock));
  const auto claim = made.log_.claim("", made.clock_(), kLeaseMs);
  if (!claim) return claim.error();
  if (!claim->is_granted) {
    return Error{Errc::busy, "the task " + id + " is executed by " + claim->owner, std::nullopt, {}};
  }
  made.token_ = claim->token;
  const auto parked = made.log_.parked();
  if (!parked) return parked.error();
  if (*parked) {
    if (auto resumed = made.log_.resumed(HostCut::blind(made.token_), {}); !resumed) return resumed.error();
  }
  if (auto heard = made.hear(); !heard) return heard.error();
  if (auto settled = made.settle_open_requests(keeps_requests); !settled) return settled.error();
  return made;
}

void ChainJobLog::take(const HostFact& fact) {
  seen_ = fact.seq;
  if (fact.key.starts_with(loop::kMail)) ++mails_;
  const auto body = body_of(fact);
  if (!body || !fact.is_of_host) return;
  const std::string key = text_of(*body, "key");
  if (fact.name == kSaid) {
    ChainLetter letter{key, number_of<std::uint64_t>(*body, "attempt"), text_of(*body, "answer"), {}, {}, fact.by};
    if (body->contains("doubt")) letter.doubt = answer_of(text_of(*body, "doubt"));
    if (const json::value* const output = body->if_contains("output")) letter.output = *output;
    letters_.push_back(std::move(letter));
    return;
  }
  if (fact.name != kAsked && fact.name != kReplied && fact.name != kRefused && fact.name != kLost) return;
  Request& request = requests_[key];
  request.is_open = fact.name == kAsked;
  request.attempts += fact.name == kAsked;
  answers_ += fact.name == kReplied || fact.name == kRefused;
  if (fact.name == kRefused) request.due_ms = number_of<std::int64_t>(*body, "due_ms");
  if (fact.name != kReplied) return;
  const json::value* const tokens = body->if_contains("tokens");
  request.reply = Reply{text_of(*body, "text"), chain::read_usage(tokens)};
  request.reply->usage.calls = request.attempts;
}

Result<void> ChainJobLog::hear() {
  for (std::size_t count = kPage; count == kPage;) {
    const auto facts = log_.read(seen_, kPage);
    if (!facts) return facts.error();
    count = facts->size();
    for (const HostFact& fact : *facts) take(fact);
  }
  return {};
}

Result<void> ChainJobLog::put(std::string name, std::string key, json::object body) {
  HostFact fact;
  fact.fact_class = HostFactClass::Effect;
  fact.name = std::move(name);
  fact.key = std::move(key);
  fact.body = json::serialize(body);
  fact.time_ms = clock_();
  const auto written = log_.put(HostCut::blind(token_), {&fact, 1});
  if (!written) return written.error();
  return hear();
}

Result<void> ChainJobLog::settle_open_requests(bool keeps_requests) {
  std::vector<std::string> open;
  for (const auto& [key, request] : requests_) {
    if (request.is_open) open.push_back(key);
  }
  for (const std::string& key : open) {
    if (keeps_requests) continue;   // ask() sends it again under its key
    auto lost = put(std::string(kLost), "lost/" + numbered(key, attempts(key)), {{"key", key}});
    if (!lost) return lost;
  }
  return {};
}

const ChainJobLog::Reply* ChainJobLog::reply(std::string_view key) const {
  const auto found = requests_.find(key);
  return found == requests_.end() || !found->second.reply ? nullptr : &*found->second.reply;
}

std::int64_t ChainJobLog::due_ms(std::string_view key) const {
  const auto found = requests_.find(key);
  return found == requests_.end() ? 0 : found->second.due_ms;
}

std::uint32_t ChainJobLog::attempts(std::string_view key) const {
  const auto found = requests_.find(key);
  return found == requests_.end() ? 0 : found->second.attempts;
}

Result<std::string> ChainJobLog::ask(const std::string& key) {
  const Request& request = requests_[key];
  if (request.is_open) return numbered(key, request.attempts);
  std::string sent = numbered(key, request.attempts + 1);
  // A worker whose lease is over cannot write a key of this kind.
  auto written = put(std::string(kAsked), "intent/ask " + sent, {{"key", key}});
  if (!written) return written.error();
  return sent;
}

Result<void> ChainJobLog::keep_reply(const std::string& key, std::string text, const chain::ModelUsage& usage) {
  json::object body{{"key", key}, {"text", std::move(text)}};
  if (usage.is_known()) body["tokens"] = chain::usage_json(usage);
  return put(std::string(kReplied), "reply/" + numbered(key, attempts(key)), std::move(body));
}

Result<void> ChainJobLog::keep_refusal(const std::string& key, std::int64_t due_ms) {
  return put(std::string(kRefused), "reply/" + numbered(key, attempts(key)), {{"key", key}, {"due_ms", due_ms}});
}

Result<bool> ChainJobLog::park(const std::vector<std::string>& waits, std::optional<std::int64_t> deadline_ms) {
  HostParked parked;
  parked.continuation = "chain";
  parked.observed_seq = seen_;
  parked.wait_keys.push_back(loop::mail_key(mails_ + 1));
  parked.wait_keys.insert(parked.wait_keys.end(), waits.begin(), waits.end());
  parked.deadline_ms = deadline_ms;
  const auto result = log_.park({token_, seen_}, {}, parked);
  if (!result) return result.error();
  if (result->is_parked) return true;
  if (auto heard = hear(); !heard) return heard.error();
  return false;
}

Result<void> ChainJobLog::end() {
  if (auto ended = log_.ended(HostCut::blind(token_), {}); !ended) return ended.error();
  return leave();
}

Result<void> ChainJobLog::leave() {
  const auto released = log_.release(token_);
  return released ? Result<void>() : released.error();
}

Result<void> ChainJobLog::tell(const Store& store, const std::string& id, const ChainLetter& letter,
                               std::int64_t now_ms) {
  json::object body{{"key", letter.key}, {"attempt", letter.attempt}};
  if (!letter.answer.empty()) body["answer"] = letter.answer;
  if (letter.doubt) body["doubt"] = name_of(*letter.doubt);
  if (letter.doubt == DoubtAnswer::Happened) body["output"] = letter.output;
  HostFact fact;
  fact.fact_class = HostFactClass::Observation;
  fact.name = kSaid;
  fact.body = json::serialize(body);
  fact.by = letter.by;
  fact.time_ms = now_ms;
  HostLog log = HostLog::of(store, id);
  return loop::put_letter(log, std::move(fact));
}

Result<std::vector<ChainLetter>> ChainJobLog::letters_in(const Store& store, const std::string& id) {
  ChainJobLog log(HostLog::of(store, id), {});
  if (auto heard = log.hear(); !heard) return heard.error();
  return std::move(log.letters_);
}

Result<std::size_t> ChainJobLog::lost_requests(const Store& store, const std::string& id) {
  std::size_t count = 0;
  const auto visited = visit_host_facts(store, id, [&](const HostFact& fact) { count += fact.name == kLost; });
  if (!visited) return visited.error();
  return count;
}

}  // namespace ptcvm::cli
