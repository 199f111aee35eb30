#include "agents/loop/reply_program.h"

#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>
#include <optional>
#include <vector>

#include "agents/loop/program_text.h"

namespace ptcvm::loop {

namespace {

namespace json = boost::json;

constexpr std::string_view kNoProgram =
    "There was no program in your reply. Write exactly one, as the argument of run_program or in one ```clojure block.";
constexpr std::string_view kNotOne = " programs, and none of them was run. Write exactly one program in each reply.";

struct FencedBlock {
  std::string_view tag, text;
};

std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r\n") - first + 1);
}

// Returns the blocks whose fences are lines of their own.
std::vector<FencedBlock> fenced_blocks(std::string_view text) {
  std::vector<FencedBlock> blocks;
  std::optional<std::string_view> tag;
  std::size_t begin = 0;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view line = trimmed(text.substr(at, end - at));
    if (line.starts_with("```")) {
      if (!tag) {
        tag = trimmed(line.substr(3));
        begin = std::min(end + 1, text.size());
      } else if (line == "```") {
        blocks.push_back({*tag, text.substr(begin, at - begin)});
        tag.reset();
      }
    }
    at = end + 1;
  }
  return blocks;
}

bool is_language(std::string_view tag) {
  return tag == "clojure" || tag == "lisp" || tag == "clj" || tag == "ptc-lisp" || tag == "ptc";
}

std::vector<std::string_view> programs_of_text(std::string_view text) {
  std::vector<std::string_view> tagged, others;
  for (const FencedBlock& block : fenced_blocks(text)) {
    if (is_language(block.tag)) tagged.push_back(block.text);
    if (!is_language(block.tag) && trimmed(block.text).starts_with('(')) others.push_back(block.text);
  }
  if (!tagged.empty()) return tagged;
  if (!others.empty()) return others;
  for (const std::string_view name : {"clojure", "lisp"}) {
    const std::string open = "<" + std::string(name) + ">", close = "</" + std::string(name) + ">";
    const auto begin = text.find(open);
    const auto end = text.find(close, begin == std::string_view::npos ? 0 : begin);
    if (begin != std::string_view::npos && end != std::string_view::npos) {
      return {text.substr(begin + open.size(), end - begin - open.size())};
    }
  }
  if (trimmed(text).starts_with('(')) return {text};
  return {};
}

ReplyProgram of_call(const wire::ToolCall& call) {
  if (call.takes_text && call.arguments_text) return {true, *call.arguments_text, {}};
  const json::object* const arguments = call.arguments ? call.arguments->if_object() : nullptr;
  const json::value* const program = arguments == nullptr ? nullptr : arguments->if_contains("program");
  if (program != nullptr && program->is_string()) return {true, std::string(program->get_string()), {}};
  return {false, {},
          "The arguments of run_program cannot be read. They are one JSON object: {\"program\": \"…\"}."};
}

}  // namespace

ReplyProgram find_program(const wire::Reply& reply) {
  std::vector<const wire::ToolCall*> calls;
  for (const wire::ToolCall& call : reply.tool_calls) {
    if (call.name == kRunProgram) calls.push_back(&call);
  }
  if (calls.size() > 1) return {false, {}, "There were " + std::to_string(calls.size()) + std::string(kNotOne)};
  if (calls.size() == 1) {
    ReplyProgram found = of_call(*calls.front());
    const bool is_blank = found.is_found && trimmed(without_invisible(found.program)).empty();
    return is_blank ? ReplyProgram{false, {}, std::string(kNoProgram)} : found;
  }
  const std::string text = without_invisible(reply.text);
  const auto programs = programs_of_text(text);
  if (programs.size() > 1) return {false, {}, "There were " + std::to_string(programs.size()) + std::string(kNotOne)};
  if (programs.size() == 1) return {true, std::string(programs.front()), {}};
  const bool is_cut = reply.stop == "max_tokens" || reply.stop == "length" || reply.stop == "incomplete";
  std::string problem(kNoProgram);
  if (is_cut) problem += " The reply was too long and ended before its end.";
  return {false, {}, std::move(problem)};
}

std::string_view find_json_text(std::string_view text) {
  const auto is_json = [](std::string_view part) {
    boost::system::error_code error;
    json::parse(part, error);
    return !error;
  };
  const std::string_view whole = trimmed(text);
  if (!whole.empty() && is_json(whole)) return whole;
  for (const FencedBlock& block : fenced_blocks(text)) {
    const std::string_view inside = trimmed(block.text);
    if (!inside.empty() && is_json(inside)) return inside;
  }
  const auto begin = text.find_first_of("{[");
  if (begin == std::string_view::npos) return {};
  std::size_t depth = 0;
  bool is_string = false;
  for (std::size_t i = begin; i < text.size(); ++i) {
    const char c = text[i];
    if (is_string) {
      if (c == '\\') ++i;
      if (c == '"') is_string = false;
    } else if (c == '"') {
      is_string = true;
    } else if (c == '{' || c == '[') {
      ++depth;
    } else if ((c == '}' || c == ']') && --depth == 0) {
      const std::string_view part = text.substr(begin, i + 1 - begin);
      return is_json(part) ? part : std::string_view();
    }
  }
  return {};
}

}  // namespace ptcvm::loop
