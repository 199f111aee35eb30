// Tools, tasks, parallel branches, and waiting.
#include <algorithm>

#include "tools/generator/composer.h"

namespace ptc::generator {
namespace {

constexpr std::string_view kNames[] = {"ann", "bo", "cy", "di", "ed"};
constexpr unsigned kMaxTools = 10;

std::string_view mode_word(ToolMode mode) {
  switch (mode) {
    case ToolMode::Sync: return "get_";
    case ToolMode::Async: return "ask_";
    case ToolMode::Auto: return "find_";
  }
  return "";
}

}  // namespace

bool Composer::can_call_tool() const { return tool_calls_ + place_.repeats <= kMaxToolCalls; }
void Composer::count_tool_call(unsigned calls) { tool_calls_ += calls * place_.repeats; }

bool Composer::has_tool(TypeRef result, ToolMode mode) const {
  return std::any_of(tools_.begin(), tools_.end(), [&](const Tool& tool) {
    return tool.result == result && tool.mode == mode && !tool.shaky;
  });
}

// One that is there, or a new one.
Tool Composer::tool_for(TypeRef result, ToolMode mode, bool shaky) {
  std::vector<const Tool*> fitting;
  for (const Tool& tool : tools_) {
    if (tool.result == result && tool.mode == mode && tool.shaky == shaky) fitting.push_back(&tool);
  }
  if (!fitting.empty()) return *random_.pick(fitting);
  const Text name = Text(mode_word(mode)) + std::to_string(tools_.size() + 1);
  const Tool tool{name, mode, result, 2 + random_.below(std::size(kNames) - 1), random_.chance(30), shaky};
  tools_.push_back(tool);
  program_.tools.push_back({tool.name, tool.mode});
  record_answers(tool);
  return tool;
}

// A shaky tool fails for 0 at least, and not for 1.
void Composer::record_answers(const Tool& tool) {
  for (unsigned i = 0; i < tool.domain; ++i) {
    GeneratedAnswer answer;
    answer.tool = tool.name;
    answer.args_edn = tool.named ? "{\"who\" \"" + Text(kNames[i]) + "\"}" : "{\"k\" " + std::to_string(i) + '}';
    if (tool.shaky && (i == 0 || (i > 1 && random_.chance(40)))) {
      answer.error = "no answer for " + std::to_string(i);
    } else {
      answer.result_edn = literal(tool.result, 1, true);
    }
    program_.answers.push_back(std::move(answer));
  }
}

// `number` is an expression from 0 to below the tool's domain.
Text Composer::tool_call_with(const Tool& tool, const Text& number, unsigned style) {
  count_tool_call();
  Text argument = number;
  if (tool.named) {
    std::vector<Text> names;
    for (unsigned i = 0; i < tool.domain; ++i) names.push_back('"' + Text(kNames[i]) + '"');
    argument = form({"nth", joined(names, "[", "]"), number});
  }
  const Text key = tool.named ? ":who" : ":k";
  if (style == 0) return form({"tool/" + tool.name, key, argument});
  return form({"tool/" + tool.name, '{' + key + ' ' + argument + '}'});
}

Text Composer::tool_call(const Tool& tool, unsigned depth) {
  const Text number = random_.chance(50) || depth == 0
                          ? std::to_string(random_.below(tool.domain))
                          : form({"mod", expression(int_, depth - 1), std::to_string(tool.domain)});
  return tool_call_with(tool, number, random_.below(3));
}

Text Composer::from_tool(TypeRef type, unsigned depth) {
  const ToolMode mode = options_.async_tools && random_.chance(35) ? ToolMode::Auto : ToolMode::Sync;
  if (!can_call_tool() || (tools_.size() >= kMaxTools && !has_tool(type, mode))) return own_form(type, depth);
  return tool_call(tool_for(type, mode, false), depth);
}

// An operation that is looked at by its handle, and found again by its id.
Text Composer::asked_for_again(TypeRef type, unsigned depth) {
  if (!options_.async_tools || !can_call_tool()) return own_form(type, depth);
  const Text given = expression(types_.handle_of(type), depth);
  switch (random_.below(3)) {
    case 0: return form({"let", vector({"h", given}), "(await (if (pending? h) h (pending (pending-id h))))"});
    case 1: return form({"let", vector({"h", given}), "(boolean? (resolved? h))", "(await h)"});
    default: return form({"let", vector({"h", given}), "(await (pending (pending-id h)))"});
  }
}

Text Composer::after_sleep(TypeRef type, unsigned depth) {
  if (!options_.async_tools || !options_.timers) return own_form(type, depth);
  return form({"do", form({"sleep", std::to_string(random_.below(40))}), expression(type, depth)});
}

// A signal that nobody sends.
Text Composer::signalled(TypeRef type, unsigned depth) {
  const bool alone = !place_.in_function && place_.indexes && place_.indexes->empty();
  if (!options_.async_tools || !options_.timers || !alone) return own_form(type, depth);
  const Text name = "\"signal" + std::to_string(++names_) + '"';
  return form({"await-signal", name, braces({":timeout-ms", std::to_string(random_.between(1, 50)), ":default",
                                             expression(type, depth)})});
}

Text Composer::handle(TypeRef handle_type, unsigned depth) {
  if (random_.chance(40)) {
    if (const auto variable = variable_of(handle_type)) return *variable;
  }
  const Tool tool = tool_for(handle_type->element, ToolMode::Async, false);
  const Text call = tool_call(tool, depth);
  // The journal would show the handle's id, which counts calls: only where their order is fixed.
  const bool alone = !place_.in_branch && !place_.in_function && place_.indexes && place_.indexes->empty();
  if (alone && random_.chance(20)) return form({"task", task_id(handle_type), call});
  return call;
}

Text Composer::handles(TypeRef type, unsigned depth) {
  const TypeRef one = type->element;
  if (one->kind != Kind::Handle) return joined(std::vector<Text>{leaf(one)}, "[", "]");
  if (type->kind != Kind::Vector) {
    std::vector<Text> parts;
    for (Text& key : different_keys(type->kind, 1 + random_.below(3))) {
      parts.push_back(std::move(key));
      parts.push_back(handle(one, depth));
    }
    return joined(parts, "{", "}");
  }
  const Tool tool = tool_for(one->element, ToolMode::Async, false);
  const Text domain = std::to_string(tool.domain);
  if (!can_repeat() || random_.chance(40)) {
    std::vector<Text> parts;
    const unsigned count = 1 + random_.below(3);
    for (unsigned i = 0; i < count; ++i) parts.push_back(handle(one, depth));
    return joined(parts, "[", "]");
  }
  const Inside inside(*this);
  place_.repeats *= kElements;
  switch (random_.below(3)) {
    case 0: return form({"for", "[k (range " + domain + ")]", tool_call_with(tool, "k", 1)});
    case 1:
      return form({"map", form({"fn [k]", tool_call_with(tool, "(mod k " + domain + ")", 1)}),
                   expression(types_.vector_of(int_), depth)});
    default: return form({"mapv", form({"fn [k]", tool_call_with(tool, "k", 0)}), form({"range", domain})});
  }
}

Text Composer::awaited(TypeRef type, unsigned depth) {
  if (!options_.async_tools || !can_call_tool()) return own_form(type, depth);
  if (type->kind == Kind::Vector && random_.chance(60)) {
    const TypeRef all = types_.vector_of(types_.handle_of(type->element));
    switch (random_.below(3)) {
      case 0: return form({"map", "await", expression(all, depth)});
      case 1: return form({"mapv", "(fn [h] (await h))", expression(all, depth)});
      default: return form({"await-all", expression(all, depth)});
    }
  }
  if (type->kind == Kind::KeywordMap && random_.chance(60)) {
    return form({"await-all", expression(types_.keyword_map_of(types_.handle_of(type->element)), depth)});
  }
  const TypeRef one = types_.handle_of(type);
  switch (random_.below(6)) {
    case 0: return form({"->", expression(one, depth), "await"});
    case 1: return form({"await", expression(one, depth), "{:timeout-ms 86400000}"});
    case 2: return form({":value", form({"await-any", vector({expression(one, depth)})})});
    case 3:
      return form({"nth", form({"await-all", expression(types_.vector_of(one), depth)}), "0", expression(type, depth)});
    default: return form({"await", expression(one, depth)});
  }
}

// Several operations in flight, with other work between their start and the wait.
Text Composer::awaited_together(TypeRef type, unsigned depth) {
  if (!options_.async_tools || !can_call_tool()) return own_form(type, depth);
  const Inside inside(*this);
  const TypeRef first_type = any_scalar(), second_type = any_data(1), between_type = any_scalar();
  const Text first = "h" + std::to_string(++names_), second = "h" + std::to_string(++names_);
  Text bindings = first + ' ' + expression(types_.handle_of(first_type), depth);
  variables_.push_back({first, types_.handle_of(first_type)});
  bindings += ' ' + second + ' ' + expression(types_.handle_of(second_type), depth);
  variables_.push_back({second, types_.handle_of(second_type)});
  const Text between = "v" + std::to_string(++names_);
  bindings += ' ' + between + ' ' + expression(between_type, depth);
  variables_.push_back({between, between_type});
  const Text one = "r" + std::to_string(++names_), other = "r" + std::to_string(++names_);
  if (random_.chance(50)) {
    bindings += " [" + one + ' ' + other + "] (await-all [" + first + ' ' + second + "])";
  } else {
    bindings += " {" + one + " :one " + other + " :other} (await-all {:one " + first + " :other " + second + "})";
  }
  variables_.push_back({one, first_type});
  variables_.push_back({other, second_type});
  return form({"let", '[' + bindings + ']', expression(type, depth)});
}

// Failures of operations as data.
Text Composer::settled(TypeRef type, unsigned depth) {
  const TypeRef result = type->kind == Kind::Vector ? type->element : type;
  if (!options_.async_tools || !can_call_tool() || !can_repeat() || !result->is_data()) return own_form(type, depth);
  const Tool tool = tool_for(result, ToolMode::Async, random_.chance(70));
  if (type->kind != Kind::Vector) {
    const Text call = tool_call(tool, depth);
    const Text otherwise = expression(type, depth);
    return form({"let", vector({"{:keys [status value]}", form({"await-settled", call})}),
                 form({"if", "(= status :ok)", "value", otherwise})});
  }
  const Inside inside(*this);
  place_.repeats *= kElements;
  place_.indexes.reset();
  const Text calls = form({"map", form({"fn [k]", tool_call_with(tool, "k", 1)}),
                           form({"range", std::to_string(tool.domain)})});
  const Text settlements = form({"await-settled", calls});
  if (random_.chance(30)) {
    return form({"map", ":value", form({"filter", "(fn [s] (= (:status s) :ok))", settlements})});
  }
  const Text otherwise = result == string_ ? "(str \"failed: \" reason)" : expression(result, depth);
  return form({"map", form({"fn [{:keys [status value reason]}]", form({"if", "(= status :ok)", "value", otherwise})}),
               settlements});
}

// Whichever is first, the answer is the same.
Text Composer::first_of_equals(TypeRef type, unsigned depth) {
  if (!options_.async_tools || !can_call_tool()) return own_form(type, depth);
  const Tool tool = tool_for(type, ToolMode::Async, false);
  const Text number = form({"mod", expression(int_, depth), std::to_string(tool.domain)});
  const Text first = tool_call_with(tool, "k", 1), second = tool_call_with(tool, "k", 0);
  return form({"let", vector({"k", number}), form({":value", form({"await-any", vector({first, second})})})});
}

// Unique in the run. The journal may know it already.
Text Composer::task_id(TypeRef body) {
  const Text id = "t" + std::to_string(++tasks_);
  const std::vector<Text>& indexes = *place_.indexes;
  if (indexes.size() < 2 && body->is_data() && random_.chance(12)) {
    journal_[indexes.empty() ? id : id + "-0"] = literal(body, 1, true);
  }
  if (indexes.empty()) return random_.chance(12) ? ':' + id : '"' + id + '"';
  std::vector<Text> parts{"str", '"' + id + "-\""};
  for (std::size_t i = 0; i < indexes.size(); ++i) {
    if (i > 0) parts.push_back("\"-\"");
    parts.push_back(indexes[i]);
  }
  return joined(parts, "(", ")");
}

Text Composer::committed(TypeRef type, unsigned depth) {
  if (!can_commit()) return own_form(type, depth);
  return form({"task", task_id(type), expression(type, depth)});
}

Text Composer::in_branches(TypeRef type, unsigned depth) {
  if (!can_repeat() || (place_.in_branch && random_.chance(70))) return own_form(type, depth);
  const Inside inside(*this);
  place_.in_branch = true;
  if (type->kind != Kind::Vector || random_.chance(30)) {
    const TypeRef each = type->kind == Kind::Vector ? type->element : type;
    std::vector<Text> thunks{"pcalls"};
    const unsigned count = 1 + random_.below(3);
    for (unsigned i = 0; i < count; ++i) thunks.push_back(form({"fn []", expression(each, depth)}));
    const Text calls = joined(thunks, "(", ")");
    return type->kind == Kind::Vector ? as_vector(calls) : form({"nth", calls, std::to_string(random_.below(count))});
  }
  const TypeRef element = any_scalar();
  if (random_.chance(50)) {
    const Text count = std::to_string(random_.between(1, static_cast<int>(kElements)));
    return as_vector(form({"pmap", function_of(int_, type->element, depth, true), form({"range", count})}));
  }
  return as_vector(
      form({"pmap", function_of(element, type->element, depth), expression(types_.vector_of(element), depth)}));
}

}  // namespace ptc::generator
