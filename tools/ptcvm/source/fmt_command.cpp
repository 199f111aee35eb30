// ptcvm fmt.
#include <iostream>

#include "compiler/read/form.h"
#include "compiler/read/reader.h"
#include "ptcvm/diagnostic.hpp"
#include "tools/ptcvm/commands.h"
#include "tools/ptcvm/process/files.h"
#include "tools/ptcvm/process/terminal.h"
#include "tools/ptcvm/source/formatter.h"
#include "tools/ptcvm/text/loading.h"

namespace ptcvm::cli {
namespace {

struct FormatRequest {
  std::vector<std::string> files;
  bool write = false, check = false;
};

int format_file(const std::string& file, const FormatRequest& request) {
  std::string message;
  const auto source = read_program(file, message);
  if (!source) {
    complain(message);
    return kBadInput;
  }
  ptc::FormArena arena;
  const ptc::ReadResult read = ptc::read_forms(*source, arena);
  if (read.failed) {
    const ptc::CompileError& error = read.error;
    Diagnostic found;
    found.kind = ptc::fault_name(error.kind);
    found.message = error.message;
    found.hint = error.hint;
    found.source_name = file;
    found.line = error.span.line;
    found.column = error.span.column;
    found.begin = error.span.begin;
    found.end = error.span.end;
    found.excerpt = source_excerpt(found, *source);
    std::cerr << shown_diagnostic(found);
    return kProgramFailed;
  }
  const std::string formatted = format_source(*source);
  if (request.check) {
    if (formatted == *source) return kSuccess;
    std::cout << file << '\n';
    return kProgramFailed;
  }
  if (request.write && file != "-") {
    if (formatted == *source || write_file(file, formatted, message)) return kSuccess;
    complain(message);
    return kBadInput;
  }
  std::cout << formatted;
  return kSuccess;
}

}  // namespace

void add_fmt_command(CLI::App& app, int& status) {
  auto* command = app.add_subcommand("fmt", "Lay out programs: indentation and blanks; comments and line breaks stay");
  auto request = std::make_shared<FormatRequest>();
  command->add_option("FILE", request->files, "Programs; - is standard input")->required();
  command->add_flag("-w,--write", request->write, "Write the files back instead of printing");
  command->add_flag("--check", request->check, "List the files that would change; exit status 1 when there are any");
  command->footer("Examples:\n  ptcvm fmt report.ptc\n  ptcvm fmt --write *.ptc\n  ptcvm fmt --check *.ptc");
  command->callback([request, &status] {
    for (const std::string& file : request->files) status = std::max(status, format_file(file, *request));
  });
}

}  // namespace ptcvm::cli
