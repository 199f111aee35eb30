// The program as a whole: definitions, statements, and how it ends.
#include <algorithm>

#include "tools/generator/composer.h"

namespace ptc::generator {
namespace {

constexpr unsigned kDepth = 5;
constexpr unsigned kFormSize = 50;       // of expressions that one form at the top has, about

}  // namespace

// A large program has more forms, not larger ones: how deep these can be is limited.
int Composer::part_of_size(unsigned divisor) const {
  return static_cast<int>(std::min(options_.size, 3 * kFormSize) / divisor);
}

Text Composer::global_definition() {
  TypeRef type = any_data(2);
  if (options_.async_tools && random_.chance(30)) type = types_.handle_of(any_scalar());
  if (options_.async_tools && random_.chance(10)) type = types_.vector_of(types_.handle_of(any_scalar()));
  const Text value = expression(type, kDepth);
  const Text name = "g" + std::to_string(++names_);
  variables_.push_back({name, type});
  return form({random_.chance(20) ? "defonce" : "def", name, value});
}

Text Composer::function_definition() {
  const TypeRef from = any_data(1), to = any_data(1);
  Variable variable{"f" + std::to_string(++names_), types_.function(from, to)};
  const Text parameter = fresh_name("p");
  const Text body = body_of_definition(parameter, from, to, kDepth, variable);
  variables_.push_back(variable);
  return form({"defn", variable.name, vector({parameter}), body});
}

// Its tasks are told apart by a text that every call gives anew.
Text Composer::tagged_function() {
  const TypeRef from = any_scalar(), to = any_scalar();
  Variable variable{"step" + std::to_string(++names_), types_.function(from, to)};
  const Inside inside(*this);
  const unsigned cost = std::exchange(cost_, 0u);
  const unsigned tool_calls = std::exchange(tool_calls_, 0u);
  place_.in_function = true;
  place_.indexes = std::vector<Text>{"tag"};
  variables_.push_back({"tag", string_});
  const Text parameter = "p" + std::to_string(++names_);
  variables_.push_back({parameter, from});
  const Text body = form({"task", task_id(types_.handle_of(to)), expression(to, kDepth)});
  variable.cost = cost_ + 1;
  variable.tool_calls = tool_calls_;
  cost_ = cost + 1;
  tool_calls_ = tool_calls;
  tagged_functions_.push_back(variable);
  return form({"defn", variable.name, vector({"tag", parameter}), body});
}

Text Composer::printing(unsigned depth) {
  // Clojure prints floats and what lies in collections in its own way.
  const TypeRef printable[] = {int_, string_, keyword_, bool_};
  if (in_clojure()) return form({"println", quoted_word(), expression(random_.pick(printable), depth)});
  if (random_.chance(50)) return form({"println", quoted_word(), expression(any_data(1), depth)});
  return form({"println", expression(any_scalar(), depth)});
}

Text Composer::step_done() {
  return form({"step-done", "\"s" + std::to_string(++names_) + '"', form({"str", expression(any_scalar(), 2)})});
}

// A task that is done, taken back, and done again.
Text Composer::task_reset() {
  const Text id = "\"again" + std::to_string(++tasks_) + '"';
  const TypeRef type = any_data(1);
  const Text first = expression(type, 2), second = expression(type, 2);
  const Text reset = random_.chance(50) ? form({"task-reset", id}) : form({"task-reset", id, quoted_word()});
  return form({"do", form({"task", id, first}), reset, form({"task", id, second})});
}

Text Composer::counting_global() {
  const Text name = "total" + std::to_string(++names_);
  const Inside inside(*this);
  const Text item = "x" + std::to_string(++names_);
  const Text source = expression(types_.vector_of(int_), 2);
  place_.repeats *= kElements;
  place_.indexes.reset();
  variables_.push_back({item, int_});
  variables_.push_back({name, int_});
  const Text start = form({"def", name, integer()});
  const Text step = form({"def", name, form({"mod", form({"+", name, expression(int_, 2)}), "9973"})});
  return start + '\n' + form({"doseq", vector({item, source}), step});
}

Text Composer::repetition(unsigned depth) {
  const Inside inside(*this);
  const Text item = "i" + std::to_string(++names_);
  const Text source = form({"range", std::to_string(random_.between(1, static_cast<int>(kElements)))});
  place_.repeats *= kElements;
  if (place_.indexes) place_.indexes->push_back(item);
  variables_.push_back({item, int_});
  const Text first = statement(depth);
  if (random_.chance(30)) return form({"run!", form({"fn", vector({item}), first}), source});
  if (random_.chance(50)) return form({"doseq", vector({item, source}), first});
  const Text second = statement(depth);
  return form({"doseq", vector({item, source}), first, second});
}

Text Composer::statement(unsigned depth) {
  const TypeRef type = any_data(1);
  // Those of the first row need nothing of a host.
  const unsigned kinds = in_clojure() ? 4 : 9;
  switch (random_.below(kinds)) {
    case 0: return printing(depth);
    case 1:
      if (depth > 1 && can_repeat()) return repetition(depth - 1);
      return printing(depth);
    case 2: return form({"when", expression(bool_, 2), printing(depth)});
    case 3: return form({"let", vector({"_", expression(type, depth)}), printing(depth - 1)});
    case 4:
    case 5: {
      std::vector<const Variable*> callable;
      for (const Variable& function : tagged_functions_) {
        if (can_call(function)) callable.push_back(&function);
      }
      if (callable.empty() || !can_commit()) return form({"task", task_id(type), expression(type, depth)});
      const Variable function = *random_.pick(callable);
      count_call(function);
      std::vector<Text> tag{"str", "\"c" + std::to_string(++tasks_) + '"'};
      for (const Text& index : *place_.indexes) {
        tag.push_back("\"-\"");
        tag.push_back(index);
      }
      return form({function.name, joined(tag, "(", ")"), expression(function.type->element, depth - 1)});
    }
    case 6: return form({"task", task_id(type), expression(type, depth)});
    case 7: return place_.repeats == 1 ? task_reset() : step_done();
    default: return step_done();
  }
}

void Composer::statements(std::vector<Text>& out) {
  const unsigned count = options_.size / kFormSize + random_.below(3);
  for (unsigned i = 0; i < count; ++i) {
    budget_ = part_of_size(5);
    switch (random_.below(8)) {
      case 0:
      case 1: out.push_back(global_definition()); break;
      case 2: out.push_back(function_definition()); break;
      case 3: out.push_back(in_clojure() ? function_definition() : tagged_function()); break;
      case 4: out.push_back(counting_global()); break;
      default: out.push_back(statement(kDepth)); break;
    }
  }
}

Text Composer::final_form() {
  budget_ = part_of_size(2);
  const TypeRef first = any_data(2), second = any_data(2);
  const unsigned kinds = in_clojure() ? 4 : 6;
  switch (random_.below(kinds)) {
    case 0: return expression(first, kDepth + 1);
    case 4: return form({"return", braces({":first", expression(first, kDepth), ":rest", expression(second, 3)})});
    case 5:
      return form({"map", form({"fn [n]", form({"if", "(> n 1)", form({"return", expression(first, kDepth)}), "n"})}),
                   form({"range", std::to_string(random_.between(1, 4))})});
    case 1: return braces({":first", expression(first, kDepth), ":second", expression(second, kDepth)});
    default: return vector({expression(first, kDepth), expression(second, kDepth), expression(int_, 3)});
  }
}

Text Composer::failing_form() {
  budget_ = part_of_size(4);
  const Text before = printing(2);
  switch (random_.below(options_.async_tools ? 9 : 7)) {
    case 0: return form({"do", before, form({"+", expression(int_, 2), "nil"})});
    case 1: return form({"fail", "{:reason \"no\" :at " + expression(any_data(1), 3) + '}'});
    case 2: return form({"task", task_id(types_.handle_of(int_)), form({"do", before, form({"fail", integer()})})});
    case 3: return "(map (fn [n] (if (= n 2) (upcase n) (do (println n) n))) (range 4))";
    case 4: return form({"do", before, form({"/", expression(int_, 2), "(count [])"})});
    case 5: return form({"pmap", "(fn [n] (if (odd? n) (+ n nil) n))", "(range 3)"});
    case 6: return form({"do", before, tool_call_with(tool_for(string_, ToolMode::Sync, true), "0", 1)});
    case 7: {
      const Text call = tool_call_with(tool_for(string_, ToolMode::Async, true), "0", 1);
      return form({"do", before, form({"await", call})});
    }
    default: return form({"upcase", expression(types_.handle_of(string_), 1)});
  }
}

GeneratedProgram Composer::compose() {
  const bool with_journal = random_.chance(75);
  std::vector<Text> forms;
  if (random_.chance(60)) {
    budget_ = part_of_size(5);
    forms.push_back(function_definition());
  }
  statements(forms);
  program_.fails_on_purpose = !in_clojure() && random_.chance(options_.failing_percent);
  forms.push_back(program_.fails_on_purpose ? failing_form() : final_form());
  for (const Text& each : forms) program_.source += laid_out(each) + '\n';
  if (with_journal && !in_clojure()) {
    Text journal = "{";
    for (const auto& [id, value] : journal_) {
      journal += (journal.size() > 1 ? " \"" : "\"") + id + "\" " + value;
    }
    program_.journal_edn = journal + '}';
  }
  return std::move(program_);
}

}  // namespace ptc::generator
