// ptcvm check, compile and dis: what happens to a program before it runs.
#include <iostream>

#include "compiler/read/reader.h"
#include "tools/ptcvm/commands.h"
#include "tools/ptcvm/files.h"
#include "tools/ptcvm/loading.h"
#include "tools/ptcvm/run_options.h"
#include "tools/ptcvm/signature_text.h"
#include "tools/ptcvm/terminal.h"

namespace ptcvm::cli {
namespace {

struct CheckRequest {
  std::vector<std::string> files;
  std::vector<std::string> tools, async_tools;
  std::string memory, signature;
  bool quiet = false;
};

struct FileRequest {
  std::string file, output;
  bool optimize = true;
};

std::string shown_name(const std::string& file) { return file == "-" ? "<stdin>" : file; }

// Shows what is wrong at that place of the source.
void show(Diagnostic found, const ptc::SourceSpan& span, const std::string& file, const std::string& source) {
  found.source_name = shown_name(file);
  found.line = span.line;
  found.column = span.column;
  found.begin = span.begin;
  found.end = span.end;
  found.excerpt = source_excerpt(found, source);
  std::cerr << diagnostic_text(found, stderr_has_colour());
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

// False, and said so, when the program is a literal that does not match the signature of the session.
bool literal_fits(const std::string& file, const std::string& source, Run& run) {
  const auto span = literal_span(source);
  if (!span) return true;
  while (run.step() == RunState::Yielded) {
  }
  if (!run.diagnostic()) return true;
  show(*run.diagnostic(), *span, file, source);
  return false;
}

int worse(int a, int b) { return a == kBadInput || b == kBadInput ? kBadInput : std::max(a, b); }

int refuse(const std::string& message) {
  complain(message);
  return kBadInput;
}

int check_file(const std::string& file, const CheckRequest& request) {
  std::string message;
  const Engine engine;
  const auto loaded = load_program(engine, file, message);
  if (!loaded) return refuse(message);
  if (loaded->program) return kSuccess;     // the verifier accepted it
  RunArguments options;
  options.memory = request.memory;
  options.signature = request.signature;
  options.check_tools = !request.tools.empty() || !request.async_tools.empty();
  CommandTools tools;
  for (const std::string& tool : request.tools) tools.tools.defer(tool, "").value();
  if (!add_async_tools(tools, request.async_tools, message)) return refuse(message);
  MadeSession made = make_session(engine, options, {tools.tools}, shown_name(file), message);
  if (!made.session) return refuse(message);
  const auto begun = made.session->begin(loaded->source);
  if (!begun) {
    std::cerr << diagnostic_text(begun.error().diagnostic.value_or(Diagnostic()), stderr_has_colour());
    return kProgramFailed;
  }
  if (!request.signature.empty() && !literal_fits(file, loaded->source, made.session->run())) return kProgramFailed;
  if (!request.quiet) std::cout << shown_name(file) << ": ok\n";
  return kSuccess;
}

// Compiles the source, or says what is wrong with it.
std::optional<Program> compiled(const Engine& engine, const FileRequest& request, const std::string& source) {
  const std::string name = shown_name(request.file);
  auto program = engine.compile(source, {.name = name, .optimize = request.optimize});
  if (program) return std::move(*program);
  std::cerr << diagnostic_text(program.error().diagnostic.value_or(Diagnostic()), stderr_has_colour());
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
  const auto source = read_file(request.file, message);
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
  auto* command = app.add_subcommand("check", "Look for errors without running anything");
  auto request = std::make_shared<CheckRequest>();
  command->add_option("FILE", request->files, "Programs; - is standard input")->required();
  command
      ->add_option("--tool", request->tools, "A tool that the program may call; with none, tool names are not checked")
      ->type_name("NAME")
      ->allow_extra_args(false);
  command->add_option("--async-tool", request->async_tools, "The same for a tool whose answers are awaited")
      ->type_name("NAME")
      ->allow_extra_args(false);
  command->add_option("--memory", request->memory, "Stored definitions, an EDN map {:name value}")->type_name("FILE");
  command->add_option("--signature", request->signature,
                      "What the result must look like; a program that is one literal is held against it");
  command->add_flag("-q,--quiet", request->quiet, "Say nothing about good files");
  command->footer("Examples:\n  ptcvm check report.ptc\n  ptcvm check --tool search --tool fetch agent.ptc\n"
                  "  ptcvm check --signature '{total :float}' report.ptc");
  command->callback([request, &status] {
    if (!request->signature.empty() && !read_signature_option("--signature", request->signature)) {
      status = kUsage;
      return;
    }
    for (const std::string& file : request->files) status = worse(status, check_file(file, *request));
  });
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
