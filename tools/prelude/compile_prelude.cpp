// Compiles the prelude (the builtins written in PTC-Lisp) into a C++ header with the bytes of its program, and of the
// preludes of earlier engines.
// usage: compile_prelude OUT.h OUT.ptcp FILE.ptc… KEPT.ptcp…
//
// OUT.ptcp are the bytes alone, to be kept under vm/builtins/prelude/kept before the prelude changes.
#include <cstdio>
#include <fstream>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

#include "compiler/compile.h"

namespace {

using Bytes = std::vector<std::uint8_t>;

struct Arguments {
  std::string header, program;
  std::vector<std::string> sources, kept;
};

Arguments read_arguments(int argc, char** argv) {
  Arguments out{argv[1], argv[2], {}, {}};
  for (int i = 3; i < argc; ++i) {
    const std::string path = argv[i];
    (path.ends_with(".ptcp") ? out.kept : out.sources).push_back(path);
  }
  return out;
}

std::string text_of(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

void write_array(std::ostream& out, const std::string& name, const Bytes& bytes) {
  out << "alignas(16) inline constexpr std::uint8_t " << name << "[] = {";
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    if (i % 24 == 0) out << "\n";
    out << static_cast<int>(bytes[i]) << ",";
  }
  out << "\n};\n";
}

bool write_header(const Arguments& arguments, const Bytes& own) {
  std::ofstream out(arguments.header);
  out << "// Made from vm/builtins/prelude by tools/prelude/compile_prelude.\n#pragma once\n"
      << "#include <array>\n#include <cstdint>\n#include <span>\nnamespace ptc {\n";
  write_array(out, "kOwnPrelude", own);
  std::size_t count = 0;
  std::string list;
  for (const std::string& path : arguments.kept) {
    const std::string text = text_of(path);
    const Bytes bytes(text.begin(), text.end());
    if (bytes == own) continue;
    const std::string name = "kKeptPrelude" + std::to_string(++count);
    write_array(out, name, bytes);
    list += (list.empty() ? "" : ", ") + name;
  }
  out << "inline constexpr std::array<std::span<const std::uint8_t>, " << count << "> kKeptPreludes = {" << list
      << "};\n}  // namespace ptc\n";
  std::ofstream program(arguments.program, std::ios::binary);
  program.write(reinterpret_cast<const char*>(own.data()), static_cast<std::streamsize>(own.size()));
  return out.good() && program.good();
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 4) {
    std::cerr << "usage: compile_prelude OUT.h OUT.ptcp FILE.ptc... KEPT.ptcp...\n";
    return 2;
  }
  const Arguments arguments = read_arguments(argc, argv);
  std::string source;
  for (const std::string& path : arguments.sources) source += text_of(path) + "\n";
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
  return write_header(arguments, {builder.GetBufferPointer(), builder.GetBufferPointer() + builder.GetSize()}) ? 0 : 1;
}
