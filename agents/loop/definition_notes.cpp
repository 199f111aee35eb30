#include "agents/loop/definition_notes.h"

#include <algorithm>

#include "agents/loop/program_text.h"
#include "agents/loop/prompt.h"
#include "ptcvm/check.hpp"
#include "ptcvm/value.hpp"

namespace ptcvm::loop {

namespace {

constexpr std::size_t kDocBytes = 200;
constexpr std::string_view kClosure = "#ptc/closure", kFunction = "#ptc/fn";

// Returns the parameters in the text of a function, "[x & more]", or "" when the text has none.
std::string_view parameters_of(std::string_view closure) {
  const auto begin = closure.find('[');
  std::size_t depth = 0;
  for (std::size_t i = begin; i < closure.size(); ++i) {
    if (closure[i] == '[') ++depth;
    if (closure[i] == ']' && --depth == 0) return closure.substr(begin, i + 1 - begin);
  }
  return {};
}

// Returns the beginning of a docstring, on one line.
std::string one_line(std::string_view doc) {
  std::string out;
  for (const char c : doc) {
    const bool is_space = c == ' ' || c == '\n' || c == '\r' || c == '\t';
    if (!is_space) {
      out += c;
    } else if (!out.empty() && out.back() != ' ') {
      out += ' ';
    }
  }
  if (out.size() <= kDocBytes) return out;
  out.resize(whole_characters(out, kDocBytes));
  return out + "…";
}

}  // namespace

std::map<std::string, std::string, std::less<>> definition_docs(std::string_view written) {
  std::map<std::string, std::string, std::less<>> docs;
  if (written.find('"') == std::string_view::npos && written.find("\u201C") == std::string_view::npos) return docs;
  for (SourceDefinition& found : definitions_in(read_program_text(written).text)) {
    if (found.doc.empty()) {
      docs.erase(found.name);
    } else {
      docs.insert_or_assign(std::move(found.name), std::move(found.doc));
    }
  }
  return docs;
}

std::vector<TurnDefinition> definitions_of(const state::TurnT& turn) {
  std::vector<TurnDefinition> out;
  if (turn.definitions.empty()) return out;
  const auto written = definitions_in(read_program_text(turn.program).text);
  for (const auto& made : turn.definitions) {
    if (made->name.starts_with('_')) continue;
    TurnDefinition& definition = out.emplace_back();
    definition.name = made->name;
    definition.is_function = made->text.starts_with(kClosure) || made->text.starts_with(kFunction);
    if (definition.is_function) definition.parameters = parameters_of(made->text);
    const auto last =
        std::find_if(written.rbegin(), written.rend(), [&](const auto& one) { return one.name == made->name; });
    if (last == written.rend()) continue;
    definition.doc = last->doc;
    if (definition.is_function) definition.arity = last->arity;
  }
  return out;
}

std::string definition_line(std::string_view name, std::string_view edn, std::string_view doc, std::size_t most) {
  std::string line = ";; " + std::string(name);
  if (name.starts_with('_')) return line + " is defined (hidden)";
  if (edn.starts_with(kClosure)) {
    line += " = a function";
    if (const auto parameters = parameters_of(edn); !parameters.empty()) line.append(" ").append(parameters);
  } else {
    const auto value = Value::from_edn(edn);
    line += value ? " = " + preview(*value, most) : " is defined";
  }
  if (!doc.empty()) line.append("  ; ").append(one_line(doc));
  return line;
}

}  // namespace ptcvm::loop
