#include "agents/harness/planners/scenario_planner.h"

#include <algorithm>
#include <boost/json/serialize.hpp>

#include "agents/harness/conversation/message_files.h"
#include "agents/harness/facts/blank_text.h"
#include "agents/harness/facts/json_members.h"
#include "agents/harness/planners/tool_oracle.h"
#include "agents/harness/setup/planner_seed.h"

namespace ptcvm::harness {

namespace json = boost::json;

namespace {

constexpr int kDecisionAttempts = 3;
constexpr std::int64_t kDecisionDelayMs = 150;
constexpr std::string_view kApology = "I am sorry, something went wrong on my side. Please give me a moment.";
constexpr std::string_view kHolding = "I am working on it and will answer shortly.";
constexpr std::string_view kGreeting = "Hello, I would like to begin our conversation.";

// Why a decision cannot be carried out.
struct WrongDecision {
  std::string_view code;
  std::string message;
};

}  // namespace

// One pass: the facts so far, and what the pass adds.
class ScenarioPlanner::Pass {
 public:
  Pass(const ScenarioPlanner& planner, PlanContext& context)
      : planner_(planner), context_(context), agent_(planner.scenario_.agent_or_first(planner.agent_id_)) {}

  std::vector<ProposedFact> run() {
    if (const std::string_view status = context_.view().status(); is_terminal_status(status)) {
      after_the_end(status);
      return std::move(facts_);
    }
    for (std::size_t step = 0; step < planner_.most_steps_; ++step) {
      const auto decision = decide();
      if (!decision || !act(*decision)) return std::move(facts_);
    }
    if (facts_.empty()) draft(kHolding, "working");
    return std::move(facts_);
  }

 private:
  void add(FactType type, json::object body) { facts_.push_back({type, std::move(body)}); }
  void draft(std::string_view text, std::string_view hint, json::array attachments = {}) {
    json::object body{{"composeId", context_.new_id("c")}, {"text", text}, {"nextStateHint", hint}};
    if (!attachments.empty()) body["attachments"] = std::move(attachments);
    add(FactType::compose_intent, std::move(body));
  }
  void fail(std::string_view code, std::string_view message, std::string_view stage, int attempts) {
    add(FactType::planner_error,
        {{"code", code}, {"message", message}, {"stage", stage}, {"attempts", attempts}, {"announce", true}});
  }

  void after_the_end(std::string_view status) {
    const bool asked = std::ranges::any_of(context_.view().facts(), [](const Fact& fact) {
      return fact.type == FactType::agent_question && text_of(fact.body, "qid").starts_with("wrapup:");
    });
    if (status == "completed" && !asked) {
      add(FactType::agent_question, {{"qid", context_.new_id("wrapup:q")},
                                     {"prompt", "The conversation is over. Is there anything left to note?"},
                                     {"required", false}});
      return;
    }
    fail("POST_TERMINAL_PLANNING", "the conversation is over", "decision", 1);
  }

  std::string said() const {
    std::string text;
    for (const Fact& fact : context_.view().facts()) {
      const std::string_view speaker = speaker_of(fact.type);
      if (!speaker.empty()) text.append(speaker).append(": ").append(text_of(fact.body, "text")).append("\n");
    }
    return text;
  }

  std::string prompt() const {
    std::string text = agent_.prompt + "\n" + planner_.instructions_ + "\nTools:\n";
    for (const std::string& name : planner_.core_tools_) text.append("- ").append(name).append("\n");
    text += "- askUser\n";
    for (const std::string& name : planner_.tools_) {
      text.append("- ").append(name).append(": ").append(agent_.tool(name)->description).append("\n");
    }
    text.append("\nStatus: ").append(context_.view().status()).append("\nConversation:\n").append(said());
    text += "\nThis pass so far:\n";
    for (const ProposedFact& fact : facts_) {
      text.append(fact_info(fact.type).name).append(" ").append(json::serialize(fact.body)).append("\n");
    }
    for (const std::string& content : read_) text.append("read: ").append(content).append("\n");
    return text += R"(
Answer with one JSON object {"reasoning": text, "action": {"tool": name, "args": object}}.)";
  }

  // Asks the model until its decision can be carried out. nullopt: it never could; the pass ends with an apology.
  std::optional<Decision> decide() {
    const std::string question = prompt();
    WrongDecision wrong;
    for (int attempt = 0; attempt < kDecisionAttempts; ++attempt) {
      if (attempt > 0) planner_.pause_(kDecisionDelayMs << (attempt - 1));
      const std::string reply = ask(question);
      const auto decision = read(reply);
      if (!decision) {
        wrong = {reply.empty() ? "LLM_EMPTY" : "LLM_PARSE_FAILED", "the model gave no decision that can be read"};
        continue;
      }
      auto why = wrong_with(*decision);
      if (!why) return decision;
      wrong = *std::move(why);
    }
    fail(wrong.code, wrong.message, "decision", kDecisionAttempts);
    draft(kApology, "working");
    return std::nullopt;
  }

  // A question to the model is a task: a process that dies does not pay for it twice.
  std::string ask(const std::string& question) {
    return ask_once(context_, context_.new_id("decision"), planner_.ask_, {ModelPurpose::Decide, question, 0.5});
  }

  static std::optional<Decision> read(std::string_view reply) {
    const auto object = read_model_object(reply);
    if (!object) return std::nullopt;
    const json::object* action = object_at(*object, "action");
    if (action == nullptr) action = object_at(*object, "toolCall");
    if (action == nullptr || text_of(*action, "tool").empty()) return std::nullopt;
    const json::object* const args = object_at(*action, "args");
    return Decision{std::string(text_of(*action, "tool")), args == nullptr ? json::object() : *args};
  }

  std::optional<WrongDecision> wrong_with(const Decision& decision) const {
    const auto core = core_tools();
    const bool is_core = std::ranges::find(core, decision.tool) != core.end();
    if (decision.tool == "sleep") return std::nullopt;
    if (is_core && !has(planner_.core_tools_, decision.tool)) {
      return WrongDecision{"TOOL_DISABLED", "the action " + decision.tool + " is switched off"};
    }
    if (decision.tool == "askUser" || decision.tool == "sendMessageToMyPrincipal") {
      if (!is_blank_text(prompt_of(decision))) return std::nullopt;
      return WrongDecision{"INVALID_ARGS", decision.tool + ": there is no text"};
    }
    if (decision.tool == "sendMessageToRemoteAgent") return missing_attachment(decision);
    if (is_core) return std::nullopt;
    if (agent_.tool(decision.tool) == nullptr) {
      return WrongDecision{"TOOL_UNKNOWN", "there is no tool " + decision.tool};
    }
    if (has(planner_.tools_, decision.tool)) return std::nullopt;
    return WrongDecision{"TOOL_DISABLED", "the tool " + decision.tool + " is switched off"};
  }

  static std::string_view prompt_of(const Decision& decision) {
    for (const std::string_view member : {"text", "prompt", "question"}) {
      if (const std::string_view text = text_of(decision.args, member); !text.empty()) return text;
    }
    return {};
  }

  static std::vector<std::string> attachments_of(const Decision& decision) {
    std::vector<std::string> names = texts_of(decision.args, "attachments");
    const json::array* const list = array_at(decision.args, "attachments");
    for (std::size_t i = 0; list != nullptr && i < list->size(); ++i) {
      if ((*list)[i].is_object()) names.emplace_back(text_of((*list)[i].get_object(), "name"));
    }
    return names;
  }

  const json::object* attachment(std::string_view name) const {
    for (const ProposedFact& fact : facts_) {
      if (fact.type == FactType::attachment_added && text_of(fact.body, "name") == name) return &fact.body;
    }
    const Fact* const known = context_.view().attachment(name);
    return known == nullptr ? nullptr : &known->body;
  }

  std::optional<WrongDecision> missing_attachment(const Decision& decision) const {
    for (const std::string& name : attachments_of(decision)) {
      if (attachment(name) == nullptr) return WrongDecision{"MISSING_ATTACHMENT", "there is no attachment " + name};
    }
    return std::nullopt;
  }

  // Carries out a decision. Returns whether the pass goes on.
  bool act(const Decision& decision) {
    if (decision.tool == "sendMessageToRemoteAgent") return say(decision), false;
    if (decision.tool == "done") return draft("We have completed this request.", "completed"), false;
    if (decision.tool == "readAttachment") return read_attachment(decision), true;
    if (decision.tool == "sleep") {
      fail("DISALLOWED_ACTION", "the planner may not sleep; it must act", "decision", 1);
      return draft(kApology, "working"), false;
    }
    if (decision.tool != "askUser" && decision.tool != "sendMessageToMyPrincipal") return use_tool(decision);
    add(FactType::agent_question, {{"qid", context_.new_id("q")},
                                   {"prompt", prompt_of(decision)},
                                   {"required", decision.tool == "askUser" && is_true(decision.args, "required")}});
    return false;
  }

  void say(const Decision& decision) {
    std::string_view text = trimmed(text_of(decision.args, "text"));
    if (text.empty()) text = agent_.first_message.empty() ? kGreeting : std::string_view(agent_.first_message);
    json::array attachments;
    for (const std::string& name : attachments_of(decision)) {
      attachments.push_back(json::object{{"name", name}, {"mimeType", text_of(*attachment(name), "mimeType")}});
    }
    draft(text, used_last_tool() ? "completed" : "working", std::move(attachments));
  }

  // Returns whether a tool that ends the conversation was called since the last message of this side.
  bool used_last_tool() const {
    const auto ends = [this](const json::object& body) {
      const ScenarioTool* const tool = agent_.tool(text_of(body, "name"));
      return tool != nullptr && tool->ends_conversation;
    };
    bool used = false;
    for (const Fact& fact : context_.view().facts()) {
      if (fact.type == FactType::message_sent) used = false;
      if (fact.type == FactType::tool_call && ends(fact.body)) used = true;
    }
    return used || std::ranges::any_of(facts_, [&ends](const ProposedFact& fact) {
             return fact.type == FactType::tool_call && ends(fact.body);
           });
  }

  void read_attachment(const Decision& decision) {
    const std::string id = context_.new_id("call");
    const std::string name(text_of(decision.args, "name"));
    add(FactType::tool_call, {{"callId", id}, {"name", "readAttachment"}, {"args", decision.args}});
    if (const json::object* const found = attachment(name)) {
      read_.push_back(name + ": " + std::string(text_of(*found, "bytes")));
      add(FactType::tool_result, {{"callId", id}, {"ok", true}});
    } else {
      add(FactType::tool_result, {{"callId", id}, {"ok", false}, {"error", "there is no attachment " + name}});
    }
  }

  bool use_tool(const Decision& decision) {
    const std::string id = context_.new_id("call");
    add(FactType::tool_call, {{"callId", id}, {"name", decision.tool}, {"args", decision.args}});
    const std::string args = json::serialize(decision.args);
    const std::string key =
        "tool/" + std::to_string(context_.view().boundary_seq()) + "/" + decision.tool + "/" + args;
    std::string why;
    json::object answer;
    try {
      const std::string conversation = said();
      answer = context_.task(key, [&]() -> json::value {
        const OracleCall call{agent_, *agent_.tool(decision.tool), decision.args, conversation};
        Result<json::object> played = play_tool(call, planner_.ask_, planner_.pause_);
        if (!played) throw std::runtime_error(played.error().message);
        return *std::move(played);
      }).as_object();
    } catch (const std::runtime_error& error) {
      add(FactType::tool_result, {{"callId", id}, {"ok", false}, {"error", error.what()}});
      fail("TOOL_EXEC_FAILED", error.what(), "tool", 3);
      draft(kApology, "working");
      return false;
    }
    const json::value& output = answer.at("output");
    add(FactType::tool_result, {{"callId", id}, {"ok", true}, {"result", output}});
    for (json::object& document : documents_of(output, decision.tool + "-" + id + ".json")) {
      document["name"] = unused_name(std::string(text_of(document, "name")));
      document["origin"] = "synthesized";
      document["producedBy"] = json::object{{"callId", id}, {"name", decision.tool}, {"args", decision.args}};
      add(FactType::attachment_added, std::move(document));
    }
    return true;
  }

  // Returns the name, or "stem (2).ext" and so on when the name is taken.
  std::string unused_name(const std::string& name) const {
    for (std::size_t number = 1;; ++number) {
      std::string free = numbered_name(name, number);
      if (attachment(free) == nullptr) return free;
    }
  }

  const ScenarioPlanner& planner_;
  PlanContext& context_;
  const ScenarioAgent& agent_;
  std::vector<ProposedFact> facts_;
  std::vector<std::string> read_;   // contents that the model has read in this pass
};

Result<ScenarioPlanner> ScenarioPlanner::make(const json::object& config, AskModel ask, PauseModel pause) {
  const json::object* const document = object_at(config, "resolvedScenario");
  if (document == nullptr) {
    return Error{Errc::invalid_value, "resolvedScenario: load the scenario first", std::nullopt, {}};
  }
  Result<Scenario> scenario = read_scenario(*document);
  if (!scenario) return scenario.error();
  ScenarioPlanner planner;
  planner.scenario_ = *std::move(scenario);
  const ScenarioAgent& agent = planner.scenario_.agent_or_first(text_of(config, "myAgentId"));
  planner.agent_id_ = agent.id;
  planner.instructions_ = text_of(config, "instructions");
  planner.tools_ = agent.tool_names();
  if (config.contains("enabledTools")) {
    const auto enabled = texts_of(config, "enabledTools");
    std::erase_if(planner.tools_, [&](const std::string& name) { return !has(enabled, name); });
  }
  planner.core_tools_ =
      config.contains("enabledCoreTools") ? texts_of(config, "enabledCoreTools") : usual_core_tools();
  const double steps = number_of(config, "maxInlineSteps").value_or(static_cast<double>(kUsualInlineSteps));
  planner.most_steps_ = static_cast<std::size_t>(std::clamp(steps, 1.0, static_cast<double>(kMostInlineSteps)));
  planner.ask_ = std::move(ask);
  planner.pause_ = std::move(pause);
  return planner;
}

PlanOutput ScenarioPlanner::plan(PlanContext& context) { return PlanOutput::proposed(Pass(*this, context).run()); }

}  // namespace ptcvm::harness
