#include "tools/generator/generator.h"

#include "runtime/text/json_text.h"
#include "tools/generator/composer.h"

namespace ptc::generator {
namespace {

void append_field(std::string& out, std::string_view name, std::string_view text) {
  out += out.back() == '{' ? "\"" : ",\"";
  out += name;
  out += "\":";
  append_json_string(out, text);
}

void append_tools(std::string& out, const GeneratedProgram& program) {
  out += ",\"tool_defs\":[";
  for (const GeneratedTool& tool : program.tools) {
    out += out.back() == '[' ? "{" : ",{";
    append_field(out, "name", tool.name);
    if (tool.mode == ToolMode::Async) out += ",\"async\":true";
    if (tool.mode == ToolMode::Auto) out += ",\"async\":\"auto\"";
    out += '}';
  }
  out += "],\"tools\":[";
  for (const GeneratedAnswer& answer : program.answers) {
    out += out.back() == '[' ? "{" : ",{";
    append_field(out, "name", answer.tool);
    append_field(out, "args_edn", answer.args_edn);
    append_field(out, answer.error ? "error" : "result_edn", answer.error ? *answer.error : answer.result_edn);
    out += '}';
  }
  out += ']';
}

}  // namespace

GeneratedProgram generate_program(const GeneratorOptions& options) { return Generator().program(options); }

Generator::Generator() : vocabulary_(std::make_unique<Vocabulary>()) {}
Generator::~Generator() = default;

GeneratedProgram Generator::program(const GeneratorOptions& options) {
  if (vocabulary_->types.size() > Vocabulary::kMostTypes) vocabulary_ = std::make_unique<Vocabulary>();
  return Composer(options, *vocabulary_).compose();
}

std::string batch_request_line(const GeneratedProgram& program, std::string_view id) {
  std::string line = "{";
  append_field(line, "id", id);
  append_field(line, "source", program.source);
  append_tools(line, program);
  if (program.journal_edn) append_field(line, "journal_edn", *program.journal_edn);
  line += ",\"limits\":{\"fuel\":1000000}}";
  return line;
}

std::string program_text(const GeneratedProgram& program) {
  std::string text;
  const auto mode_of = [&program](std::string_view name) {
    for (const GeneratedTool& tool : program.tools) {
      if (tool.name != name) continue;
      if (tool.mode == ToolMode::Async) return "async-tool";
      if (tool.mode == ToolMode::Auto) return "auto-tool";
    }
    return "tool";
  };
  for (const GeneratedAnswer& answer : program.answers) {
    text.append(";; ").append(mode_of(answer.tool)).append(" ").append(answer.tool).append(" ").append(answer.args_edn);
    text.append(answer.error ? " =! \"" + *answer.error + '"' : " => " + answer.result_edn) += '\n';
  }
  if (program.journal_edn) text += ";; journal-in " + *program.journal_edn + '\n';
  return text + program.source;
}

}  // namespace ptc::generator
