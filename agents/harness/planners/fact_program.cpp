#include "agents/harness/planners/fact_program.h"

#include <algorithm>
#include <boost/json/array.hpp>
#include <set>

#include "agents/harness/conversation/settled_doubts.h"
#include "agents/harness/facts/blank_text.h"
#include "agents/harness/facts/json_members.h"
#include "agents/harness/pass/proposals.h"
#include "agents/harness/people/people.h"
#include "agents/harness/planners/program_text.h"
#include "ptcvm/json.hpp"
#include "ptcvm/stored_run.hpp"

namespace ptcvm::harness {

namespace json = boost::json;

namespace {

constexpr std::string_view kAskOptions[] = {"qid", "required", "placeholder", "choices"};

json::value body_or_null(const Fact* fact) { return fact == nullptr ? json::value() : json::value(fact->body); }

// Returns the newest fact of that type with that key, or nullptr.
const Fact* find_waited(const ConversationView& view, std::string_view signal, const WaitedFact** row) {
  const std::size_t slash = signal.find('/');
  if (slash == std::string_view::npos) return nullptr;
  const std::string_view type = signal.substr(0, slash);
  for (const WaitedFact& waited : waited_facts()) {
    if (fact_info(waited.type).name != type) continue;
    *row = &waited;
    const auto& facts = view.facts();
    const auto found = std::find_if(facts.rbegin(), facts.rend(), [&](const Fact& fact) {
      return fact.type == waited.type && text_of(fact.body, waited.key) == signal.substr(slash + 1);
    });
    return found == facts.rend() ? nullptr : &*found;
  }
  return nullptr;
}

// Answers (facts/last type): with the body of the newest fact of the type, or nil.
ToolReply last_fact(const ConversationView& view, ToolCall& call) {
  const ValueView asked = call.arg(0);
  const std::string name(asked.as_keyword() ? *asked.as_keyword() : asked.as_string().value_or(""));
  const auto type = find_fact_type(name);
  if (!type) return call.error("facts/last: there is no type of facts \"" + name + "\"; :message_received is one");
  const auto& facts = view.facts();
  const auto found =
      std::find_if(facts.rbegin(), facts.rend(), [&type](const Fact& fact) { return fact.type == *type; });
  return call.value(found == facts.rend() ? json::value() : json::value(found->body));
}

// Answers (await-fact type key …): with the name of what the program awaits.
ToolReply awaited_signal(ToolCall& call) {
  const ValueView type = call.arg(0);
  const std::string name(type.as_keyword() ? *type.as_keyword() : type.as_string().value_or(""));
  const auto key = call.arg(1).as_string();
  if (!key) return call.error("await-fact: the key must be a text, and is " + call.arg(1).to_edn());
  if (name == "task") return call.value(*key);
  std::string known = "task, timer";
  for (const WaitedFact& waited : waited_facts()) {
    const std::string_view waited_name = fact_info(waited.type).name;
    if (name == waited_name || (name == "timer" && waited.type == FactType::timer_fired)) {
      return call.value(std::string(waited_name).append("/").append(*key));
    }
    known.append(", ").append(waited_name);
  }
  return call.error("await-fact: nothing of the type \"" + name + "\" can be waited for; the types are " + known);
}

void take_proposals(const json::value& value, FactProgramEnd& end) {
  Proposals read = read_proposals(value);
  end.proposed = std::move(read.facts);
  end.unknown_type = std::move(read.unknown_type);
  end.strange = std::move(read.strange);
}

// Returns the name that the program awaits, or the id of an operation that is no signal.
std::string signal_of(const StoredWait& wait) {
  const Result<Value> args = Value::from_edn(wait.args_edn);
  const auto name = args ? args->view()["name"].as_string() : std::nullopt;
  return wait.tool == "await-signal" && name ? std::string(*name) : wait.key;
}

// Writes down that a call begins. When the conversation was rewound first, the call is not made.
Result<void> begin_program_call(Conversation& conversation, const std::string& program, const ToolCall& call,
                                std::uint64_t generation, std::int64_t now_ms) {
  const json::object body{{"program", program}, {"key", call.idempotency_key()}, {"generation", generation}};
  if (auto noted = conversation.note(std::string(kProgramCallBegun), "", body, {now_ms, {}}); !noted) return noted;
  if (conversation.view().generation() == generation) return {};
  return Error{Errc::wrong_state, "the conversation was rewound, and " + std::string(call.name()) + " is not called",
               std::nullopt, {}};
}

}  // namespace

FactProgram::FactProgram(const Engine& engine, const Store& store, Conversation& conversation,
                         FactProgramOptions options)
    : engine_(engine), store_(store), conversation_(conversation), options_(std::move(options)),
      text_(options_.source) {
  watch_calls();
  add_tools();
  add_ask();
}

// The program gets a list of its own: the host may use its list elsewhere, too. A call of a tool that must not be
// called twice is in the log of the conversation before it is made, so that a rewind comes before it or after it.
void FactProgram::watch_calls() {
  std::set<std::string> once;
  for (const ToolInfo& tool : options_.tools.list()) {
    if (tool.effect != Effect::Pure && tool.effect != Effect::Idempotent) once.insert(tool.name);
  }
  options_.tools = options_.tools.wrapped([once, tell = options_.on_call_outside, to = &conversation_,
                                           program = options_.id, generation = generation_, now_ms = now_ms_](
                                              ToolCall& call, const std::function<ToolReply()>& next) -> ToolReply {
    const std::string name(call.name());
    if (!once.contains(name)) return next();
    if (tell && call.task_id().empty()) tell(name);
    const auto begun = begin_program_call(*to, program, call, *generation, *now_ms);
    return begun ? next() : call.error(begun.error().message);
  });
}

void FactProgram::add_tools() {
  const ToolOptions pure{.effect = Effect::Pure};
  Conversation* const from = &conversation_;
  const auto add = [&](const char* name, auto read) {
    const auto handler = [from, read](ToolCall& call) { return call.value(read(from->view())); };
    options_.tools.add(name, "() -> :any", handler, pure).value();
  };
  add("facts_status", [](const ConversationView& view) { return json::value(view.status()); });
  add("facts_open_question", [](const ConversationView& view) { return body_or_null(view.open_question()); });
  add("facts_unsent_draft", [](const ConversationView& view) -> json::value {
    const DraftState* const draft = view.draft(view.unsent_draft());
    return draft == nullptr ? json::value() : body_or_null(view.fact_at(draft->seq));
  });
  add("facts_public", [](const ConversationView& view) -> json::value {
    json::array messages;
    for (const Fact& fact : view.facts()) {
      if (fact.type != FactType::message_received && fact.type != FactType::message_sent) continue;
      json::object message = fact.body;
      message["type"] = fact_info(fact.type).name;
      messages.push_back(std::move(message));
    }
    return messages;
  });
  options_.tools
      .add("facts_last", "(type :any) -> :any", [from](ToolCall& call) { return last_fact(from->view(), call); }, pure)
      .value();
  options_.tools.add("facts_awaited", "(type :any, key :any) -> :string", awaited_signal, pure).value();
}

void FactProgram::add_ask() {
  Conversation* const to = &conversation_;
  const std::shared_ptr<std::int64_t> now_ms = now_ms_;
  const ToolOptions keyed{.effect = Effect::Keyed};
  options_.tools
      .add("facts_ask", "(prompt :string, opts :map) -> :string",
           [to, now_ms](ToolCall& call) -> ToolReply {
             const json::value opts = to_json(call.arg(1));
             ProposedFact question{FactType::agent_question, opts.as_object()};
             for (const auto& [name, value] : opts.as_object()) {
               if (std::ranges::find(kAskOptions, std::string_view(name)) != std::end(kAskOptions)) continue;
               return call.error("ask: there is no option " + std::string(name) +
                                 "; there are qid, required, placeholder, choices");
             }
             const std::string prompt(call.arg(0).as_string().value_or(""));
             if (is_blank_text(prompt)) return call.error("ask: the prompt is blank; say what is asked");
             question.body["prompt"] = prompt;
             if (const json::value* const named = opts.as_object().if_contains("qid"); named == nullptr) {
               question.body["qid"] = "q/" + std::to_string(to->view().boundary_seq()) + "/" + prompt;
             }
             if (const auto wrong = wrong_body(question)) return call.error("ask: " + *wrong);
             std::string qid(text_of(question.body, "qid"));
             if (qid.empty()) return call.error("ask: the qid is empty; leave it out, and the question gets one");
             // The run of the program keeps answers from before everything was forgotten.
             if (const std::uint64_t epoch = to->view().epoch(); epoch != 0) qid += "@" + std::to_string(epoch);
             question.body["qid"] = qid;
             const auto asked = ask_person(*to, question.body, {*now_ms, "planner"});
             if (!asked) return call.error("ask: " + asked.error().message);
             return call.value(qid);
           },
           keyed)
      .value();
}

StoredOptions FactProgram::stored_options(bool begins) {
  StoredOptions stored;
  stored.id = options_.id;
  stored.limits = options_.limits;
  stored.again = begins;
  stored.time_ms = *now_ms_;
  const std::shared_ptr<std::int64_t> now_ms = now_ms_;
  stored.clock = [now_ms] { return *now_ms; };
  return stored;
}

FactProgramEnd FactProgram::ended(const StoredOutcome& outcome) const {
  FactProgramEnd end;
  const Outcome& turn = outcome.outcome;
  if (turn.state == RunState::Failed) {
    if (turn.diagnostic) return failed(*turn.diagnostic);
    end.kind = FactProgramEnd::Kind::Failed;
    end.error = turn.value.to_json();
    return end;
  }
  const json::value value = to_json(turn.value);
  if (turn.state == RunState::Returned) {
    end.value = value;
    take_proposals(value, end);
    return end;
  }
  end.value = value.as_object().at("value");
  take_proposals(value.as_object().at("proposed"), end);
  return end;
}

FactProgramEnd FactProgram::failed(const Diagnostic& found) const {
  FactProgramEnd end;
  end.kind = FactProgramEnd::Kind::Failed;
  end.fault = text_.in_source(engine_, found);
  end.error = fault_line(*end.fault);
  return end;
}

Result<FactProgramEnd> FactProgram::go_on(bool begins, std::int64_t now_ms) {
  *now_ms_ = now_ms;
  if (const Result<bool> read = conversation_.refresh(); !read) return read.error();
  *generation_ = conversation_.view().generation();
  const Result<bool> handed_in = hand_in_facts(conversation_.view().program_waits(options_.id));
  if (!handed_in) return handed_in.error();
  for (;;) {
    const Result<StoredOutcome> outcome =
        run_stored(engine_, store_, options_.tools, text_.compiled(), stored_options(begins));
    const auto told = tell_ended_calls(conversation_, store_, options_.id, {now_ms, {}});
    if (!told) return told.error();
    if (!outcome && outcome.error().code == Errc::busy) return FactProgramEnd{.kind = FactProgramEnd::Kind::Busy};
    if (!outcome && outcome.error().diagnostic) return failed(*outcome.error().diagnostic);
    if (!outcome) return outcome.error();
    const bool was_over = outcome->end == StoredEnd::EndedBefore;
    if (was_over || outcome->end == StoredEnd::Ended) {
      FactProgramEnd end = ended(*outcome);
      end.was_over = was_over;
      return end;
    }
    begins = false;
    FactProgramEnd end = waiting(*outcome);
    if (options_.on_wait) options_.on_wait(end.waits);
    const Result<bool> goes_on = note_waits(*outcome);
    if (!goes_on) return goes_on.error();
    if (!*goes_on) return end;
  }
}

FactProgramEnd FactProgram::waiting(const StoredOutcome& outcome) const {
  FactProgramEnd end;
  end.kind = FactProgramEnd::Kind::Waiting;
  end.wake_time_ms = outcome.wake_time_ms;
  for (const StoredWait& wait : outcome.pending) {
    end.waits.push_back(signal_of(wait));
    if (wait.deadline_ms != 0) end.waits.push_back(timer_signal(timer_of(options_.id, signal_of(wait))));
  }
  for (const StoredWait& doubt : outcome.doubts) end.waits.push_back(settled_signal(doubt.key));
  return end;
}

// Writes down what the program waits for, and hands in what is there already.
Result<bool> FactProgram::note_waits(const StoredOutcome& outcome) {
  std::vector<ProgramWait> waits;
  json::array list;
  for (const StoredWait& wait : outcome.pending) {
    waits.push_back({signal_of(wait), wait.deadline_ms});
    list.push_back(json::object{{"signal", waits.back().signal}, {"deadline", wait.deadline_ms}});
  }
  for (const StoredWait& doubt : outcome.doubts) {
    list.push_back(json::object{{"signal", settled_signal(doubt.key)}, {"deadline", 0}});
  }
  const Result<void> noted = conversation_.note(
      "program_parked", "", {{"program", options_.id}, {"waits", std::move(list)}}, {*now_ms_, {}});
  if (!noted) return noted.error();
  return hand_in_facts(waits);
}

// Returns whether a fact was there. The deadline of a wait becomes a fact before the program sees that it is over, and
// from then on an answer is too late.
Result<bool> FactProgram::hand_in_facts(const std::vector<ProgramWait>& waits) {
  bool any = false;
  for (const ProgramWait& wait : waits) {
    const std::string timer = timer_of(options_.id, wait.signal);
    const WaitedFact* row = nullptr;
    const Fact* const fact = find_waited(conversation_.view(), wait.signal, &row);
    const bool is_over = conversation_.view().has_arrived(timer_signal(timer));
    if (fact == nullptr && !is_over) {
      if (wait.deadline_ms == 0 || wait.deadline_ms > *now_ms_) continue;
      const Result<void> noted =
          conversation_.observe({{FactType::timer_fired, {{"timer", timer}}}}, {*now_ms_, "clock"});
      if (!noted) return noted.error();
    }
    const bool is_answered = fact != nullptr && !is_over;
    const json::value* const value = is_answered ? fact->body.if_contains(row->value) : nullptr;
    const json::value given = value != nullptr ? *value : is_answered ? json::value() : json::value("timeout");
    const Result<void> put = store_.put(options_.id, wait.signal, Value::of(given), "conversation");
    if (!put && put.error().code != Errc::already_resolved) return put.error();
    any = true;
  }
  return any;
}

Result<bool> FactProgram::cancel(std::int64_t now_ms) {
  *now_ms_ = now_ms;
  const auto known = store_.find(options_.id);
  if (!known) return known.error();
  if (!*known || (*known)->state != StoredState::Parked) return false;
  Result<StoredRun> run = StoredRun::start(engine_, store_, options_.tools, text_.compiled(), stored_options(false));
  if (!run) return run.error();
  run->cancel();
  const Result<StoredStep> step = run->step();
  if (!step) return step.error();
  return true;
}

}  // namespace ptcvm::harness
