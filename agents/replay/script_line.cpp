#include "agents/replay/script_line.h"

#include <algorithm>
#include <boost/json/serialize.hpp>
#include <stdexcept>
#include <utility>

#include "agents/wire/json_number.h"

namespace ptcvm::replay {

namespace {

namespace json = boost::json;

// What a line cannot be; read_script_line() makes a failure of it.
class Unreadable : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

std::string name_of(const auto& member) { return "\"" + std::string(member.key()) + "\""; }

std::string read_text(const json::value& value, std::string_view what) {
  if (!value.is_string()) throw Unreadable(std::string(what) + " must be text, and is " + json::serialize(value));
  return std::string(value.get_string());
}

const json::object& read_object(const json::value& value, std::string_view what) {
  if (!value.is_object()) throw Unreadable(std::string(what) + " must be an object, and is " + json::serialize(value));
  return value.get_object();
}

std::vector<std::string> read_texts(const json::value& value, std::string_view what) {
  if (!value.is_array()) throw Unreadable(std::string(what) + " must be a list, and is " + json::serialize(value));
  std::vector<std::string> texts;
  for (const json::value& item : value.get_array()) texts.push_back(read_text(item, what));
  return texts;
}

std::int64_t read_count(const json::value& value, std::string_view what) {
  boost::system::error_code error;
  const std::int64_t count = value.to_number<std::int64_t>(error);
  if (error || count < 0) throw Unreadable(std::string(what) + " must be a count, and is " + json::serialize(value));
  return count;
}

wire::TokenUsage read_usage(const json::value& value) {
  wire::TokenUsage usage;
  for (const auto& member : read_object(value, "\"usage\"")) {
    const std::int64_t count = read_count(member.value(), name_of(member));
    if (member.key() == "input") {
      usage.input = count;
    } else if (member.key() == "cached") {
      usage.cached = count;
    } else if (member.key() == "cache_written") {
      usage.cache_written = count;
    } else if (member.key() == "output") {
      usage.output = count;
    } else if (member.key() == "reasoning") {
      usage.reasoning = count;
    } else {
      throw Unreadable("\"usage\" has the unknown member " + name_of(member));
    }
  }
  return usage;
}

bool read_fragment_member(Fragments& fragments, const json::key_value_pair& member) {
  if (member.key() == "contains") {
    fragments.contains = read_texts(member.value(), "\"contains\"");
  } else if (member.key() == "not_contains") {
    fragments.not_contains = read_texts(member.value(), "\"not_contains\"");
  } else {
    return false;
  }
  return true;
}

void read_static(Expectation& expect, const json::value& value) {
  for (const auto& member : read_object(value, "\"static\"")) {
    if (read_fragment_member(expect.static_part, member)) continue;
    if (member.key() != "same" || !member.value().is_bool()) {
      throw Unreadable("\"static\" has the unknown member " + name_of(member));
    }
    expect.same_static = member.value().get_bool();
  }
}

Expectation read_expectation(const json::value& value) {
  Expectation expect;
  for (const auto& member : read_object(value, "\"expect\"")) {
    if (read_fragment_member(expect.whole, member)) continue;
    if (member.key() == "newest") {
      for (const auto& inner : read_object(member.value(), "\"newest\"")) {
        if (read_fragment_member(expect.newest, inner)) continue;
        throw Unreadable("\"newest\" has the unknown member " + name_of(inner));
      }
    } else if (member.key() == "static") {
      read_static(expect, member.value());
    } else if (member.key() == "tools") {
      expect.tools = read_texts(member.value(), "\"tools\"");
      std::sort(expect.tools->begin(), expect.tools->end());
    } else {
      throw Unreadable("\"expect\" has the unknown member " + name_of(member));
    }
  }
  return expect;
}

std::string call_id(std::size_t line, std::size_t call) {
  return "call_" + std::to_string(line) + "_" + std::to_string(call);
}

SaidCall read_call(const json::value& value, std::size_t line, std::size_t number) {
  SaidCall call{call_id(line, number), "", "{}"};
  for (const auto& member : read_object(value, "a call of \"tool_calls\"")) {
    if (member.key() == "id") {
      call.id = read_text(member.value(), "\"id\"");
    } else if (member.key() == "name") {
      call.name = read_text(member.value(), "\"name\"");
    } else if (member.key() == "args") {
      const json::value& args = member.value();
      if (wire::has_infinite(args)) {
        throw Unreadable("\"args\" has an invalid JSON number: it is beyond the largest float");
      }
      call.arguments_text = args.is_string() ? std::string(args.get_string()) : json::serialize(args);
    } else {
      throw Unreadable("a call of \"tool_calls\" has the unknown member " + name_of(member));
    }
  }
  return call;
}

wire::Headers read_headers(const json::value& value) {
  wire::Headers headers;
  for (const auto& member : read_object(value, "\"headers\"")) {
    const json::value& text = member.value();
    headers.emplace_back(member.key(), text.is_string() ? std::string(text.get_string()) : json::serialize(text));
  }
  return headers;
}

bool read_said_member(ScriptLine& line, const json::key_value_pair& member) {
  if (member.key() == "program") {
    const json::object args{{"program", read_text(member.value(), "\"program\"")}};
    const std::string id = call_id(line.number, line.said.calls.size() + 1);
    line.said.calls.push_back({id, "run_program", json::serialize(args)});
  } else if (member.key() == "text") {
    line.said.text = read_text(member.value(), "\"text\"");
  } else if (member.key() == "cut") {
    line.kind = ScriptLine::Kind::Cut;
    line.said.text = read_text(member.value(), "\"cut\"");
  } else if (member.key() == "tool_calls") {
    if (!member.value().is_array()) throw Unreadable("\"tool_calls\" must be a list");
    for (const json::value& call : member.value().get_array()) {
      line.said.calls.push_back(read_call(call, line.number, line.said.calls.size() + 1));
    }
  } else {
    return false;
  }
  return true;
}

bool read_refusal_member(ScriptLine& line, const json::key_value_pair& member) {
  if (member.key() == "http") {
    line.kind = ScriptLine::Kind::Refused;
    line.refusal.status = static_cast<int>(read_count(member.value(), "\"http\""));
  } else if (member.key() == "headers") {
    line.refusal.headers = read_headers(member.value());
  } else if (member.key() == "body") {
    const json::value& body = member.value();
    line.refusal.body = body.is_string() ? std::string(body.get_string()) : json::serialize(body);
  } else {
    return false;
  }
  return true;
}

ScriptLine read_line(const json::value& value, std::size_t number) {
  ScriptLine line;
  line.number = number;
  bool answers = false;
  for (const auto& member : read_object(value, "a line of a script")) {
    if (read_said_member(line, member) || read_refusal_member(line, member)) {
      answers = true;
    } else if (member.key() == "for") {
      line.path = read_text(member.value(), "\"for\"");
    } else if (member.key() == "usage") {
      line.said.usage = read_usage(member.value());
    } else if (member.key() == "delay_ms") {
      line.delay_ms = read_count(member.value(), "\"delay_ms\"");
    } else if (member.key() == "expect") {
      line.expect = read_expectation(member.value());
    } else {
      throw Unreadable("the line has the unknown member " + name_of(member));
    }
  }
  if (!answers) throw Unreadable("the line has no \"program\", \"text\", \"tool_calls\", \"http\" or \"cut\"");
  return line;
}

}  // namespace

Replayed<ScriptLine> read_script_line(const json::value& line, std::size_t number) {
  try {
    return read_line(line, number);
  } catch (const Unreadable& error) {
    return ReplayFailure{std::string(kScriptInvalid), "line " + std::to_string(number) + ": " + error.what()};
  }
}

HttpAnswer answer_of(const ScriptLine& line, const ModelCall& call) {
  if (line.kind == ScriptLine::Kind::Refused) return line.refusal;
  HttpAnswer answer;
  answer.headers.emplace_back("content-type", call.is_stream ? "text/event-stream" : "application/json");
  if (line.kind == ScriptLine::Kind::Said) {
    answer.body = call.is_stream ? reply_stream(call.protocol, line.said) : reply_document(call.protocol, line.said);
    return answer;
  }
  answer.ends_properly = false;
  answer.body = call.is_stream ? cut_reply_stream(call.protocol, line.said) : reply_document(call.protocol, line.said);
  if (!call.is_stream) answer.body.pop_back();   // the document lacks its last bracket
  return answer;
}

}  // namespace ptcvm::replay
