// ptcvm check, compile and dis: what happens to a program before it runs.
#include <algorithm>
#include <iostream>

#include "compiler/read/reader.h"
#include "tools/ptcvm/calls/run_options.h"
#include "tools/ptcvm/calls/tools_file.h"
#include "tools/ptcvm/commands.h"
#include "tools/ptcvm/process/files.h"
#include "tools/ptcvm/process/terminal.h"
#include "tools/ptcvm/source/check_report.h"
#include "tools/ptcvm/source/signature_text.h"
#include "tools/ptcvm/text/loading.h"

namespace ptcvm::cli {
namespace {

struct CheckRequest {
  std::vector<std::string> files;
  std::vector<std::string> tools_files, tools, shell_tools, async_tools, data;
  std::string memory, signature;
  bool quiet = false, as_json = false, as_sarif = false, strict_data = false;
};

struct FileRequest {
  std::string file, output;
  bool optimize = true;
};

std::string shown_name(const std::string& file) { return file == "-" ? "<stdin>" : file; }

// Moves the finding to that place of the source.
Diagnostic placed(Diagnostic found, const ptc::SourceSpan& span, const std::string& file, const std::string& source) {
  found.source_name = shown_name(file);
  found.line = span.line;
  found.column = span.column;
  found.begin = span.begin;
  found.end = span.end;
  found.excerpt = source_excerpt(found, source);
  return found;
}

// Returns the place of the program when the program is one literal, whose value is known without a run.
std::optional<ptc::SourceSpan> literal_span(const std::string& source) {
  ptc::FormArena arena;
  const ptc::ReadResult read = ptc::read_forms(source, arena);
  std::vector<const ptc::Form*> open = read.forms;
  if (open.size() != 1) return std::nullopt;
  while (!open.empty()) {
    const ptc::Form* const form = open.back();
    open.pop_back();
    switch (form->kind) {
      case ptc::FormKind::Nil:
      case ptc::FormKind::True:
      case ptc::FormKind::False:
      case ptc::FormKind::Int:
      case ptc::FormKind::Float:
      case ptc::FormKind::String:
      case ptc::FormKind::Keyword:
      case ptc::FormKind::Vector:
      case ptc::FormKind::Map:
      case ptc::FormKind::Set: open.insert(open.end(), form->items.begin(), form->items.end()); break;
      default: return std::nullopt;
    }
  }
  return read.forms[0]->span;
}

// Returns what is wrong with a literal that does not match the signature of the session.
std::optional<Diagnostic> literal_problem(const std::string& file, const std::string& source, Run& run) {
  const auto span = literal_span(source);
  if (!span) return std::nullopt;
  while (run.step() == RunState::Yielded) {
  }
  if (!run.diagnostic()) return std::nullopt;
  return placed(*run.diagnostic(), *span, file, source);
}

int worse(int a, int b) { return a == kBadInput || b == kBadInput ? kBadInput : std::max(a, b); }

int refuse(const std::string& message) {
  complain(message);
  return kBadInput;
}

bool names_tools(const CheckRequest& request) {
  return !request.tools_files.empty() || !request.tools.empty() || !request.shell_tools.empty() ||
         !request.async_tools.empty();
}

// Declares the tools: check calls none, so the commands of the options are left out.
bool declare_tools(CommandTools& tools, const CheckRequest& request, std::string& message) {
  if (!add_tools_files(tools, request.tools_files, message)) return false;
  for (const auto* texts : {&request.tools, &request.shell_tools}) {
    for (const std::string& text : *texts) tools.tools.defer(text.substr(0, text.find('=')), "").value();
  }
  return add_async_tools(tools, request.async_tools, message);
}

// Looks at a source in its session. Data that is missing is of interest when there is data.
std::vector<Finding> findings_of(Session& session, const std::string& file, const std::string& source,
                                 const CheckRequest& request) {
  std::vector<Finding> findings = session.check(source).findings;
  std::erase_if(findings, [&](const Finding& finding) {
    return finding.diagnostic.kind == kMissingData && request.data.empty();
  });
  for (Finding& finding : findings) finding.is_error |= finding.diagnostic.kind == kMissingData && request.strict_data;
  if (std::ranges::any_of(findings, &Finding::is_error)) return findings;
  const auto begun = session.begin(source);
  if (!begun) findings.push_back({true, begun.error().diagnostic.value_or(Diagnostic())});
  if (!begun || request.signature.empty()) return findings;
  if (auto problem = literal_problem(file, source, session.run())) findings.push_back({true, std::move(*problem)});
  return findings;
}

int check_file(const std::string& file, const CheckRequest& request, std::vector<CheckedFile>& checked) {
  std::string message;
  const Engine engine;
  const auto loaded = load_program(engine, file, message);
  if (!loaded) return refuse(message);
  CheckedFile out{shown_name(file), {}};
  if (loaded->program) {                    // the verifier accepted it
    checked.push_back(std::move(out));
    return kSuccess;
  }
  RunArguments options;
  options.data = request.data;
  options.memory = request.memory;
  options.signature = request.signature;
  options.check_tools = names_tools(request);
  CommandTools tools;
  if (!declare_tools(tools, request, message)) return refuse(message);
  MadeSession made = make_session(engine, options, {tools.tools}, shown_name(file), message);
  if (!made.session) return refuse(message);
  out.findings = findings_of(*made.session, file, loaded->source, request);
  checked.push_back(std::move(out));
  return has_errors(checked.back()) ? kProgramFailed : kSuccess;
}

// Checks each file, and says what was found. Returns the status of the command.
int check_files(const CheckRequest& request) {
  if (!request.signature.empty() && !read_signature_option("--signature", request.signature)) return kUsage;
  const bool is_text = !request.as_json && !request.as_sarif;
  std::vector<CheckedFile> checked;
  int status = kSuccess;
  for (const std::string& file : request.files) {
    const std::size_t before = checked.size();
    status = worse(status, check_file(file, request, checked));
    if (!is_text || checked.size() == before) continue;
    show_findings(checked.back());
    if (!request.quiet && !has_errors(checked.back())) std::cout << checked.back().name << ": ok\n";
  }
  if (request.as_json) std::cout << findings_json(checked);
  if (request.as_sarif) std::cout << findings_sarif(checked);
  return status;
}

// Compiles the source, or says what is wrong with it.
std::optional<Program> compiled(const Engine& engine, const FileRequest& request, const std::string& source) {
  const std::string name = shown_name(request.file);
  auto program = engine.compile(source, {.name = name, .optimize = request.optimize});
  if (program) return std::move(*program);
  std::cerr << shown_diagnostic(program.error().diagnostic.value_or(Diagnostic()));
  return std::nullopt;
}

std::string default_output(const std::string& file) {
  if (file == "-") return "-";
  const std::size_t dot = file.rfind('.');
  const std::size_t slash = file.rfind('/');
  const bool has_extension = dot != std::string::npos && (slash == std::string::npos || dot > slash + 1);
  return (has_extension ? file.substr(0, dot) : file) + ".ptcp";
}

int compile_to_file(const FileRequest& request) {
  std::string message;
  const auto source = read_program(request.file, message);
  if (!source) return refuse(message);
  const auto program = compiled(Engine(), request, *source);
  if (!program) return kProgramFailed;
  const std::vector<std::byte> bytes = program->bytecode();
  const std::string output = request.output.empty() ? default_output(request.file) : request.output;
  if (write_file(output, {reinterpret_cast<const char*>(bytes.data()), bytes.size()}, message)) return kSuccess;
  return refuse(message);
}

int disassemble_file(const FileRequest& request) {
  std::string message;
  const Engine engine;
  auto loaded = load_program(engine, request.file, message);
  if (!loaded) return refuse(message);
  if (!loaded->program) loaded->program = compiled(engine, request, loaded->source);
  if (!loaded->program) return kProgramFailed;
  std::cout << loaded->program->disassembly();
  return kSuccess;
}

}  // namespace

void add_check_command(CLI::App& app, int& status) {
  auto* command = app.add_subcommand("check", "Look for errors and slips without running anything");
  auto request = std::make_shared<CheckRequest>();
  command->add_option("FILE", request->files, "Programs; - is standard input")->required();
  command
      ->add_option("--tools", request->tools_files, "A file of tools that the program may call; repeatable")
      ->type_name("FILE")
      ->allow_extra_args(false);
  command
      ->add_option("--tool", request->tools,
                   "A tool that the program may call, as run has it; with none, tool names are not checked")
      ->type_name("NAME[=COMMAND]")
      ->allow_extra_args(false);
  command->add_option("--tool-shell", request->shell_tools, "The same")
      ->type_name("NAME[=COMMAND]")
      ->allow_extra_args(false);
  command->add_option("--async-tool", request->async_tools, "The same for a tool whose answers are awaited")
      ->type_name("NAME[=COMMAND]")
      ->allow_extra_args(false);
  command
      ->add_option("--data", request->data, "Context for data/…, as run has it: names that it lacks are warnings")
      ->type_name("[KEY=]FILE")
      ->allow_extra_args(false);
  command->add_flag("--strict-data", request->strict_data, "Names that the data lacks are errors");
  command->add_option("--memory", request->memory, "Stored definitions, an EDN map {:name value}")->type_name("FILE");
  command->add_option("--signature", request->signature,
                      "What the result must look like; a program that is one literal is held against it");
  command->add_flag("-q,--quiet", request->quiet, "Say nothing about good files");
  command->add_flag("--json", request->as_json, "Write the findings as one JSON document");
  command->add_flag("--sarif", request->as_sarif, "Write the findings as SARIF 2.1.0");
  command->footer("Examples:\n  ptcvm check report.ptc\n  ptcvm check --tool search --tool fetch agent.ptc\n"
                  "  ptcvm check --tools tools.json agent.ptc\n"
                  "  ptcvm check --signature '{total :float}' report.ptc\n"
                  "  ptcvm check --data orders.json --strict-data report.ptc\n"
                  "  ptcvm check --sarif *.ptc > findings.sarif\n\n"
                  "Every error is reported, and what looks like a slip as a warning. The status is 1 when there are "
                  "errors.");
  command->callback([request, &status] { status = check_files(*request); });
}

void add_compile_command(CLI::App& app, int& status) {
  auto* command = app.add_subcommand("compile", "Compile a program to a file that `ptcvm run` takes");
  auto request = std::make_shared<FileRequest>();
  command->add_option("FILE", request->file, "The program; - is standard input")->required();
  command->add_option("-o,--output", request->output,
                      "Where to write; - is standard output (default: FILE with .ptcp)");
  command->add_flag("!--no-optimize", request->optimize, "Neither fold constants nor inline functions");
  command->footer("Examples:\n  ptcvm compile report.ptc -o report.ptcp\n  ptcvm run report.ptcp --data orders.json");
  command->callback([request, &status] { status = compile_to_file(*request); });
}

void add_dis_command(CLI::App& app, int& status) {
  auto* command = app.add_subcommand("dis", "Show the instructions of a program");
  auto request = std::make_shared<FileRequest>();
  command->add_option("FILE", request->file, "Source text or a compiled file; - is standard input")->required();
  command->add_flag("!--no-optimize", request->optimize, "Neither fold constants nor inline functions");
  command->footer("Examples:\n  ptcvm dis report.ptc\n  echo '(+ data/a 1)' | ptcvm dis -");
  command->callback([request, &status] { status = disassemble_file(*request); });
}

}  // namespace ptcvm::cli
