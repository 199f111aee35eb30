#include "agents/harness/conversation/conversation.h"

#include <algorithm>
#include <boost/json/serialize.hpp>
#include <set>

#include "agents/harness/conversation/message_files.h"

namespace ptcvm::harness {

namespace json = boost::json;

namespace {

constexpr std::size_t kReadAtOnce = 1'000;
constexpr std::int64_t kAppendLeaseMs = 60'000, kJobLeaseMs = 1'000;

Error wrong(Errc code, std::string message, std::string_view detail = {}) {
  return {code, std::move(message), std::nullopt, detail};
}

std::optional<ProposedFact> last_state(const std::vector<ProposedFact>& facts) {
  const auto found = std::find_if(facts.rbegin(), facts.rend(),
                                  [](const ProposedFact& fact) { return fact.type == FactType::status_changed; });
  return found == facts.rend() ? std::nullopt : std::optional(*found);
}

HostFact letter(const ConversationView& view, const Author& author) {
  return host_fact(HostFactClass::Control, std::string(kLetterNote), letter_key(view.letters() + 1), {}, author);
}

}  // namespace

Error error_of_end(const ConversationView& view) {
  return wrong(Errc::wrong_state, "the conversation is over (" + std::string(view.status()) +
                                      "), and nothing follows; begin another one");
}

std::string letter_key(std::uint64_t number) { return std::string(kLetterKey) + std::to_string(number); }

std::string message_key(std::uint64_t epoch, std::string_view message_id) {
  return "message/" + std::to_string(epoch) + "/" + std::string(message_id);
}

HostFact host_fact(HostFactClass fact_class, std::string name, std::string key, const json::object& body,
                   const Author& author) {
  HostFact fact;
  fact.fact_class = fact_class;
  fact.name = std::move(name);
  fact.key = std::move(key);
  fact.body = json::serialize(body);
  fact.by = author.by;
  fact.time_ms = author.now_ms;
  return fact;
}

Result<Conversation> Conversation::open(HostLog log) {
  Conversation conversation(std::move(log));
  const Result<bool> read = conversation.refresh();
  if (!read) return read.error();
  return conversation;
}

Result<bool> Conversation::refresh() {
  const std::uint64_t before = view_.log_seq();
  for (;;) {
    const Result<std::vector<HostFact>> facts = log_.read(view_.log_seq(), kReadAtOnce);
    if (!facts) return facts.error();
    for (const HostFact& fact : *facts) view_.apply(fact);
    if (facts->size() < kReadAtOnce) return view_.log_seq() != before;
  }
}

std::vector<ProposedFact> Conversation::without_known(std::vector<ProposedFact> facts) const {
  std::set<std::string, std::less<>> messages, attachments;
  std::string status(view_.status());
  std::erase_if(facts, [&](const ProposedFact& fact) {
    switch (fact.type) {
      case FactType::message_received:
      case FactType::message_sent: {
        const std::string id(text_of(fact.body, "messageId"));
        return view_.knows_message(id) || !messages.insert(id).second;
      }
      case FactType::message_refused: return view_.has_refused(text_of(fact.body, "messageId"));
      case FactType::attachment_added: {
        const std::string name(trimmed(text_of(fact.body, "name")));
        return name.empty() || view_.attachment(name) != nullptr || !attachments.insert(name).second;
      }
      case FactType::status_changed: {
        const std::string_view next = text_of(fact.body, "a2a");
        if (next == status) return true;
        status = next;
        return false;
      }
      default: return false;
    }
  });
  return facts;
}

std::string Conversation::natural_key(const ProposedFact& fact, std::size_t place) const {
  const std::string epoch = "/" + std::to_string(view_.epoch()) + "/";
  switch (fact.type) {
    case FactType::message_received:
    case FactType::message_sent: return message_key(view_.epoch(), text_of(fact.body, "messageId"));
    case FactType::message_refused: return "message_refused" + epoch + std::string(text_of(fact.body, "messageId"));
    case FactType::attachment_added: return "attachment" + epoch + std::string(trimmed(text_of(fact.body, "name")));
    case FactType::tool_result: return "tool_result/" + std::string(text_of(fact.body, "callId"));
    case FactType::timer_fired: return "timer/" + std::string(text_of(fact.body, "timer"));
    case FactType::status_changed:
      return "status" + epoch + std::to_string(view_.status_seq()) + "/" + std::to_string(place);
    default: return {};
  }
}

HostFact Conversation::observation(const ProposedFact& fact, std::size_t place, const Author& author) const {
  const FactInfo& info = fact_info(fact.type);
  return host_fact(info.fact_class, std::string(info.name), natural_key(fact, place), fact.body, author);
}

Result<void> Conversation::observe_with(std::string_view message_id, std::vector<ProposedFact> facts,
                                        const Author& author) {
  for (const ProposedFact& fact : facts) {
    if (auto why = wrong_body(fact)) return wrong(Errc::invalid_value, *std::move(why));
  }
  for (;;) {
    if (const Result<bool> read = refresh(); !read) return read.error();
    if (view_.knows_message(message_id)) return wake(author);
    const std::optional<ProposedFact> state = last_state(facts);
    drop_known_files(facts, view_);
    std::vector<ProposedFact> named = facts;
    name_files(named, view_);
    std::vector<ProposedFact> missing = without_known(std::move(named));
    const Result<bool> files = put_files(missing, author);
    if (!files) return files.error();
    if (*files) continue;
    std::vector<HostFact> out;
    for (std::size_t i = 0; i < missing.size(); ++i) out.push_back(observation(missing[i], i, author));
    if (out.empty()) return wake(author);
    const Result<HostWritten> written = put_news(std::move(out), author);
    if (!written) return written.error();
    // Somebody else changed the state at the same moment: compare with the new one. Who wrote the message of this batch
    // wrote its state, too.
    facts.clear();
    for (std::size_t i = 0; i < missing.size(); ++i) {
      if (!written->puts[i].is_mine && is_message(missing[i].type)) return {};
      const bool is_lost = !written->puts[i].is_mine && missing[i].type == FactType::status_changed;
      if (is_lost) facts.push_back(std::move(missing[i]));
    }
    // The state was left out, because the journal had the same one; it had another one when the message was written.
    const bool is_older = view_.status_seq() < written->puts.front().fact.seq;
    if (facts.empty() && state && is_older && text_of(state->body, "a2a") != view_.status()) facts.push_back(*state);
    if (facts.empty()) return {};
  }
}

// Writes the files of messages before their messages, which name them: somebody else may use a name at the same moment.
// Returns whether the view has news then.
Result<bool> Conversation::put_files(const std::vector<ProposedFact>& facts, const Author& author) {
  std::vector<HostFact> out;
  for (const ProposedFact& file : files_of_messages(facts)) out.push_back(observation(file, 0, author));
  const std::uint64_t before = view_.log_seq();
  if (out.empty()) return false;
  const Result<HostWritten> written = put_news(std::move(out), author);
  if (!written) return written.error();
  return view_.log_seq() != before;
}

Result<HostPut> Conversation::observe_once(const ProposedFact& fact, std::string key, const Author& author) {
  const auto puts = observe_together({{fact, std::move(key)}}, author);
  if (!puts) return puts.error();
  return puts->front();
}

Result<std::vector<HostPut>> Conversation::observe_together(const std::vector<KeyedFact>& facts,
                                                            const Author& author) {
  std::vector<HostFact> out;
  for (const auto& [fact, key] : facts) {
    if (auto why = wrong_body(fact)) return wrong(Errc::invalid_value, *std::move(why));
    const FactInfo& info = fact_info(fact.type);
    out.push_back(host_fact(info.fact_class, std::string(info.name), key, fact.body, author));
  }
  Result<HostWritten> written = put_news(std::move(out), author);
  if (!written) return written.error();
  written->puts.resize(facts.size());   // without the letter
  return std::move(written->puts);
}

// Writes what somebody without a claim says. In a job a letter is in the same transaction, which wakes the log. When
// another letter has taken its number, a further one follows.
Result<HostWritten> Conversation::put_news(std::vector<HostFact> facts, const Author& author) {
  if (view_.has_ended()) return wrong(Errc::wrong_state, "the conversation " + log_.id() + " has ended");
  if (view_.is_job()) facts.push_back(letter(view_, author));
  Result<HostWritten> written = put(0, facts);
  if (!written) return written;
  if (const Result<void> woken = wake(author); !woken) return woken.error();
  return written;
}

// Writes facts in one transaction, and takes them and what others wrote into the view.
Result<HostWritten> Conversation::put(std::uint64_t token, std::span<HostFact> facts) {
  keep_order(facts);
  Result<HostWritten> written = log_.put({token, view_.log_seq()}, facts);
  if (!written) return written;
  if (const Result<void> taken = take(*written); !taken) return taken.error();
  return written;
}

// Takes what a write tells, without another look into the store. What others wrote is before what this call wrote.
Result<void> Conversation::take(const HostWritten& written) {
  const auto apply = [this](const HostFact& fact) {
    if (fact.seq == view_.log_seq() + 1) view_.apply(fact);
  };
  std::ranges::for_each(written.others, apply);
  for (const HostPut& put : written.puts) apply(put.fact);
  if (view_.log_seq() == written.head) return {};
  const Result<bool> read = refresh();
  return read ? Result<void>{} : read.error();
}

// Gives facts no earlier time than the facts have that this process has seen.
void Conversation::keep_order(std::span<HostFact> facts) const {
  for (HostFact& fact : facts) fact.time_ms = std::max(fact.time_ms, view_.newest_ms());
}

Result<void> Conversation::wake(const Author& author) {
  while (view_.wants_letter()) {
    HostFact fact = letter(view_, author);
    if (const Result<HostWritten> written = put(0, {&fact, 1}); !written) return written.error();
  }
  return {};
}

Result<void> Conversation::arm_kickoff(const Author& author) {
  if (const Result<bool> read = refresh(); !read) return read.error();
  const auto written = put_news({host_fact(HostFactClass::Control, std::string(kKickoffNote), "", {}, author)}, author);
  return written ? Result<void>{} : written.error();
}

Result<void> Conversation::rewind(std::uint64_t to, RewindKeeps keeps, const Author& author, RewindYields yields) {
  return rewind_to(to, keeps, author, yields);
}

// Somebody else may begin to send or to call at the same moment. The log says which of the two was first. When somebody
// else rewound, and otherwise, this rewind follows under a key of its own.
Result<void> Conversation::rewind_to(std::optional<std::uint64_t> to, RewindKeeps keeps, const Author& author,
                                     RewindYields yields) {
  const bool keeps_human = keeps == RewindKeeps::Human;
  for (bool is_mine = false; !is_mine;) {
    if (const Result<bool> read = refresh(); !read) return read.error();
    if (const Result<void> allowed = may_rewind(keeps, yields); !allowed) return allowed;
    const std::uint64_t before = view_.generation();
    const json::object body{{"to", to.value_or(view_.boundary_seq())},
                            {"keeps", keeps_human ? "human" : "nothing"},
                            {"yields", keeps_human || yields == RewindYields::Calls ? "calls" : "sends"}};
    const HostFact fact = host_fact(HostFactClass::Observation, "journal_rewound",
                                    "rewind/" + std::to_string(view_.rewinds() + 1), body, author);
    const Result<HostWritten> written = put_news({fact}, author);
    if (!written) return written.error();
    const HostPut& put = written->puts.front();
    is_mine = put.is_mine || put.fact.body == fact.body;
    if (is_mine && view_.generation() != before) return {};
  }
  if (const Result<void> allowed = may_rewind(keeps, yields); !allowed) return allowed;
  return wrong(Errc::busy, "something was sent or called at the same moment, and nothing is rewound; try again");
}

Result<void> Conversation::may_rewind(RewindKeeps keeps, RewindYields yields) const {
  if (view_.in_flight() != 0) return wrong(Errc::wrong_state, "Cannot rewind while a send is in flight", kSendInFlight);
  const bool keeps_human = keeps == RewindKeeps::Human;
  if (!view_.has_unknown_call(keeps_human) || (!keeps_human && yields != RewindYields::Calls)) return {};
  const std::string_view what = keeps_human ? "another draft" : "what follows";
  return wrong(Errc::wrong_state, std::string(what) + " might repeat an effect: " + view_.unknown_call(), kCallUnknown);
}

Result<void> Conversation::tell_settled(std::string_view key, const Author& author) {
  if (const Result<bool> read = refresh(); !read) return read.error();
  const auto written = put_news(
      {host_fact(HostFactClass::Control, std::string(kSettledNote), "", {{"signal", settled_signal(key)}}, author)},
      author);
  return written ? Result<void>{} : written.error();
}

Result<void> Conversation::note(std::string name, std::string key, const json::object& body, const Author& author) {
  HostFact fact = host_fact(HostFactClass::Control, std::move(name), std::move(key), body, author);
  const Result<HostWritten> written = put(0, {&fact, 1});
  return written ? Result<void>{} : written.error();
}

Result<std::optional<std::uint64_t>> Conversation::claim(std::int64_t now_ms, std::int64_t lease_ms) {
  const std::int64_t lease = view_.is_job() ? std::min(lease_ms, kJobLeaseMs) : lease_ms;
  const Result<HostClaim> claim = log_.claim("", now_ms, lease);
  if (!claim) return claim.error();
  if (!claim->is_granted) return std::optional<std::uint64_t>{};
  return std::optional<std::uint64_t>{claim->token};
}

Result<void> Conversation::release(std::uint64_t token) {
  const Result<bool> released = log_.release(token);
  return released ? Result<void>{} : released.error();
}

Result<bool> Conversation::decide(std::uint64_t token, std::uint64_t cut, std::vector<ProposedFact> facts,
                                  const std::optional<PlanCursor>& cursor, const Author& author) {
  facts = without_known(std::move(facts));
  for (ProposedFact& fact : facts) fact.body.erase(kPlanCursor);
  if (cursor && !facts.empty()) facts.back().body[kPlanCursor] = cursor_json(*cursor);
  std::vector<HostFact> out;
  for (const ProposedFact& fact : facts) {
    out.push_back(host_fact(HostFactClass::Decision, std::string(fact_info(fact.type).name), "", fact.body, author));
  }
  // A batch of which the journal has everything is refused like every other one.
  if (out.empty() && !cursor) {
    const Result<bool> outdated = is_outdated(token, cut);
    if (!outdated) return outdated.error();
    return !*outdated;
  }
  if (out.empty()) {
    out.push_back(host_fact(HostFactClass::Control, std::string(kPlanCursor), "", cursor_json(*cursor), author));
  }
  keep_order(out);
  const Result<HostWritten> written = log_.decide({token, cut}, out);
  if (!written) return written.error();
  if (const Result<void> taken = take(*written); !taken) return taken.error();
  return !written->conflict.has_value();
}

Result<bool> Conversation::is_outdated(std::uint64_t token, std::uint64_t cut) const {
  for (std::uint64_t seen = cut;;) {
    const Result<std::vector<HostFact>> facts = log_.read(seen, kReadAtOnce);
    if (!facts) return facts.error();
    for (const HostFact& fact : *facts) {
      const bool outdates =
          fact.fact_class == HostFactClass::Observation || fact.fact_class == HostFactClass::Decision;
      if (outdates && fact.writer != token) return true;
      seen = fact.seq;
    }
    if (facts->size() < kReadAtOnce) return false;
  }
}

Result<bool> Conversation::append(std::vector<ProposedFact> facts, std::optional<std::uint64_t> cut,
                                  const Author& author) {
  const auto token = claim(author.now_ms, kAppendLeaseMs);
  if (!token) return token.error();
  if (!*token) return wrong(Errc::busy, "another process decides for this conversation now; try again");
  Result<bool> done = false;
  do {
    if (const Result<bool> read = refresh(); !read) return read.error();
    done = decide(**token, cut.value_or(view_.log_seq()), facts, std::nullopt, author);
  } while (done && !*done && !cut);
  if (const Result<void> released = release(**token); !released) return released.error();
  return done;
}

Result<HostPut> Conversation::effect(std::uint64_t token, std::string key, std::string name, const json::object& body,
                                     const Author& author) {
  HostFact fact = host_fact(HostFactClass::Effect, std::move(name), std::move(key), body, author);
  const Result<HostWritten> written = put(token, {&fact, 1});
  if (!written) return written.error();
  return written->puts.front();
}

}  // namespace ptcvm::harness
