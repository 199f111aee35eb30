#include "agents/loop/stored_facts.h"

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <charconv>
#include <optional>
#include <set>
#include <utility>

#include "agents/wire/reply_document.h"
#include "agents/wire/reply_reader.h"

namespace ptcvm::loop {

namespace json = boost::json;

namespace {

Error unreadable_fact(std::string_view what) {
  return {Errc::store_failed, "a fact of the agent cannot be read: " + std::string(what), std::nullopt, {}};
}

Result<json::object> read_body(std::string_view text) {
  boost::system::error_code error;
  json::value value = json::parse(text, error);
  if (error || !value.is_object()) return unreadable_fact("its body is no JSON object");
  return std::move(value.get_object());
}

std::int64_t member_number(const json::object& body, std::string_view name) {
  const json::value* const found = body.if_contains(name);
  return found != nullptr && found->is_int64() ? found->get_int64() : 0;
}

bool member_flag(const json::object& body, std::string_view name) {
  const json::value* const found = body.if_contains(name);
  return found != nullptr && found->is_bool() && found->get_bool();
}

// Reads a number that write_answer() wrote as text; 0 when there is none.
template <class Number>
Number number_in(const std::string& text) {
  Number number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

std::optional<json::object> document_of(const ModelReply& reply, const ModelChoice& choice) {
  if (reply.status != 200 || reply.is_cut) return std::nullopt;
  wire::ReplyReader reader({choice.protocol, choice.is_stream, reply.status, {}});
  reader.feed(reply.body);
  return wire::reply_document(choice.protocol, reader.finish(wire::ReplyReader::End::Proper, 0));
}

// What later decisions need: when the request may be sent again, and which kind of body came.
bool is_kept_header(std::string_view name) {
  for (const std::string_view kept : {"retry-after", "retry-after-ms", "x-should-retry", "content-type"}) {
    if (wire::header({{std::string(name), "x"}}, kept) == "x") return true;
  }
  return false;
}

}  // namespace

std::string fact_text(const json::object& body, std::string_view name) {
  const json::value* const found = body.if_contains(name);
  return found != nullptr && found->is_string() ? std::string(found->get_string()) : std::string();
}

std::string write_start(const StartBody& body) {
  json::object out{{"agent", body.agent},
                   {"id", body.start.id},
                   {"data", body.start.data_json},
                   {"journal", body.start.journal_json},
                   {"time_ms", body.start.time_ms},
                   {"keys_name_run", body.start.keys_name_run},
                   {"rules", body.start.rules}};
  if (!body.document.empty()) out["document"] = body.document;
  return json::serialize(out);
}

Result<StartBody> read_start(std::string_view text) {
  const auto body = read_body(text);
  if (!body) return body.error();
  StartBody out;
  out.agent = fact_text(*body, "agent");
  out.start.id = fact_text(*body, "id");
  out.start.data_json = fact_text(*body, "data");
  out.start.journal_json = fact_text(*body, "journal");
  out.start.time_ms = member_number(*body, "time_ms");
  out.start.keys_name_run = member_flag(*body, "keys_name_run");
  out.start.rules = static_cast<std::uint32_t>(member_number(*body, "rules"));
  out.document = fact_text(*body, "document");
  return out;
}

Result<AgentRun> run_from_start(const Agent& agent, const StartBody& body) {
  if (body.document.empty()) return AgentRun::start_again(agent, body.start);
  return AgentRun::restore(agent, std::as_bytes(std::span(body.document)));
}

std::string write_answer(const AnswerBody& body) {
  json::object out;
  if (!body.path.empty()) out["path"] = body.path;
  if (!body.key.empty()) out["key"] = body.key;
  if (!body.text.empty()) out["text"] = body.text;
  if (!body.args.empty()) out["args"] = body.args;
  return json::serialize(out);
}

ModelReply read_reply(const json::object& body) {
  ModelReply reply;
  reply.status = static_cast<int>(member_number(body, "status"));
  const json::value* const document = body.if_contains("document");
  reply.body = document == nullptr ? fact_text(body, "body") : json::serialize(*document);
  reply.is_cut = member_flag(body, "cut");
  const json::value* const money = body.if_contains("money");
  boost::system::error_code error;
  if (money != nullptr) reply.money = money->to_number<std::uint64_t>(error);   // 0 when it is no such number
  reply.has_unknown_cost = money == nullptr;
  reply.is_of_program = member_flag(body, "program");
  const json::value* const headers = body.if_contains("headers");
  if (headers == nullptr || !headers->is_object()) return reply;
  for (const auto& header : headers->get_object()) {
    reply.headers.emplace_back(header.key(), header.value().is_string() ? header.value().get_string() : "");
  }
  return reply;
}

void price(ModelReply& reply, const ModelChoice& choice, const ModelPrices& prices) {
  const TokenPrices* const known = reply.money || reply.has_unknown_cost ? nullptr : find_prices(prices, choice.name);
  if (known == nullptr) return;
  wire::ReplyReader reader({choice.protocol, choice.is_stream, reply.status, {}});
  reader.feed(reply.body);
  const auto end = reply.is_cut ? wire::ReplyReader::End::Cut : wire::ReplyReader::End::Proper;
  if (const auto used = reader.finish(end, 0).usage) reply.money = money_of(*used, choice.protocol, *known);
}

std::string write_reply(std::string_view path, const ModelReply& reply, const ModelChoice& choice) {
  json::object headers;
  for (const auto& [name, value] : reply.headers) {
    if (is_kept_header(name)) headers[name] = value;
  }
  json::object out{{"path", path}, {"status", reply.status}};
  if (!headers.empty()) out["headers"] = std::move(headers);
  if (reply.is_cut) out["cut"] = true;
  if (reply.money) out["money"] = *reply.money;
  if (reply.is_of_program) out["program"] = true;
  if (auto document = document_of(reply, choice)) {
    out["document"] = std::move(*document);
  } else {
    out["body"] = reply.body;
  }
  return json::serialize(out);
}

std::string write_turn(const AgentRun& run, std::uint32_t turn) {
  json::object out{{"turn", turn}, {"kind", run.turn_kind(turn)}};
  const AgentUsage usage = run.usage();
  out["model_calls"] = usage.model_calls;
  out["tool_calls"] = usage.tool_calls;
  out["input"] = usage.input;
  out["output"] = usage.output;
  if (usage.money != 0) out["money"] = usage.money;
  return json::serialize(out);
}

std::string write_verdicts(const std::vector<std::pair<std::string, std::string>>& verdicts) {
  json::array said;
  for (const auto& [point, verdict] : verdicts) said.push_back(json::array{point, json::parse(verdict)});
  return json::serialize(json::object{{"said", std::move(said)}});
}

void recall_verdicts(AgentRun& run, std::string_view name, std::string_view text) {
  if (name != kHooksSaid) return;
  const auto body = read_body(text);
  const json::value* const said = body ? body->if_contains("said") : nullptr;
  if (said == nullptr || !said->is_array()) return;
  for (const json::value& one : said->get_array()) {
    if (!one.is_array() || one.get_array().size() != 2 || !one.at(0).is_string()) continue;
    // A verdict that cannot be read is no verdict: the hook is asked again.
    static_cast<void>(run.recall_verdict(std::string(one.at(0).get_string()), json::serialize(one.at(1))));
  }
}

Result<void> apply_fact(AgentRun& run, std::string_view name, std::string_view text) {
  const auto body = read_body(text);
  if (!body) return body.error();
  const std::string path = fact_text(*body, "path"), said = fact_text(*body, "text");
  if (name == kModelSettled) return run.resolve_model(path, read_reply(*body));
  if (name == kModelLost) return run.lose_model(path);
  if (name == kModelDeferred) return run.defer_model(path, number_in<std::int64_t>(said));
  if (name == kToolInDoubt) return run.doubt(path);
  if (name == kPended) return run.pend(path);
  if (name == kCallBegun) return run.begin_call(path);
  if (name == kRejected) return run.reject(path, said);
  if (name == kInputGiven) return run.input(said);
  if (name == kTimePassed) return {};
  if (name == kResolved) {
    const auto value = Value::from_edn(said);
    if (!value) return value.error();
    return run.resolve(path, *value);
  }
  if (name == kBudgetRaised) return run.raise(path, number_in<std::uint64_t>(said));
  if (name == kBudgetLowered) return run.lower(path, number_in<std::uint64_t>(said));
  return unreadable_fact("\"" + std::string(name) + "\" is no fact of an agent");
}

std::string mail_key(std::uint64_t number) { return std::string(kMail) + std::to_string(number); }

// Letters are numbered without gaps, so that few look-ups find the last one.
Result<std::uint64_t> next_mail(const HostLog& log) {
  std::uint64_t there = 0, free = 1;
  const auto is_there = [&log](std::uint64_t number) -> Result<bool> {
    const auto found = log.find(mail_key(number));
    if (!found) return found.error();
    return found->has_value();
  };
  for (bool is_bounded = false; free - there > 1 || !is_bounded;) {
    const std::uint64_t tried = is_bounded ? there + (free - there) / 2 : free;
    const auto found = is_there(tried);
    if (!found) return found.error();
    if (*found) {
      there = tried;
      if (!is_bounded) free = tried * 2;
    } else {
      free = tried;
      is_bounded = true;
    }
  }
  return free;
}

std::string changes_between(std::string_view before, std::string_view after) {
  const auto old = read_body(before), now = read_body(after);
  if (!old || !now) return "the definition in the store cannot be read";
  std::set<std::string> names;
  for (const auto& member : *old) {
    const json::value* const found = now->if_contains(member.key());
    if (found == nullptr || *found != member.value()) names.insert(std::string(member.key()));
  }
  for (const auto& member : *now) {
    if (!old->contains(member.key())) names.insert(std::string(member.key()));
  }
  std::string text = "these members differ:";
  for (const std::string& name : names) text += " " + name;
  return text;
}

}  // namespace ptcvm::loop
