// Compiles the prelude (the builtins written in PTC-Lisp) into a C++ header with the bytes of its program.
// usage: compile_prelude OUT.h FILE.ptc…
#include <cstdio>
#include <fstream>
#include <iostream>
#include <sstream>

#include "compiler/compile.h"

int main(int argc, char** argv) {
  if (argc < 3) {
    std::cerr << "usage: compile_prelude OUT.h FILE.ptc...\n";
    return 2;
  }
  std::string source;
  for (int i = 2; i < argc; ++i) {
    std::ifstream in(argv[i]);
    std::stringstream text;
    text << in.rdbuf();
    source += text.str() + "\n";
  }
  ptc::CompileOptions options;
  options.prelude = true;
  ptc::CompileResult compiled = ptc::compile(source, options);
  if (!compiled.program) {
    std::cerr << "prelude:" << compiled.error.span.line << ":" << compiled.error.span.column << ": "
              << ptc::fault_name(compiled.error.kind) << ": " << compiled.error.message << "\n";
    std::istringstream lines(source);
    std::string line;
    for (std::uint32_t n = 1; std::getline(lines, line); ++n) {
      if (n == compiled.error.span.line) std::cerr << line << "\n";
    }
    return 1;
  }
  compiled.program->source.clear();   // its positions are never shown
  for (auto& function : compiled.program->functions) {
    function->spans.clear();
    function->locals.clear();
    function->source_begin = function->source_end = 0;
  }
  flatbuffers::FlatBufferBuilder builder;
  ptc::schema::FinishProgramBuffer(builder, ptc::schema::Program::Pack(builder, compiled.program.get()));
  std::ofstream out(argv[1]);
  out << "// Made from vm/builtins/prelude/*.ptc by tools/prelude/compile_prelude.\n#pragma once\n"
      << "#include <cstddef>\n#include <cstdint>\nnamespace ptc {\ninline constexpr std::size_t kPreludeSize = "
      << builder.GetSize() << ";\nalignas(16) inline constexpr std::uint8_t kPreludeBytes[] = {";
  for (std::size_t i = 0; i < builder.GetSize(); ++i) {
    if (i % 24 == 0) out << "\n";
    out << static_cast<int>(builder.GetBufferPointer()[i]) << ",";
  }
  out << "\n};\n}  // namespace ptc\n";
  return out.good() ? 0 : 1;
}
