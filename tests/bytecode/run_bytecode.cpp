// Compares the bytecode of small programs with golden listings: decisions of the compiler that a reader should see
// (moves at last use, folding, fused opcodes, inlined closures, where safe points are).
//
//   ptc_bytecode_test FOLDER [--write]
//
// FOLDER holds NAME.ptc and NAME.dis; --write makes the listings anew, and the difference is read by a person.
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "compiler/compile.h"
#include "vm/exec/disassembler.h"
#include "vm/exec/program.h"

namespace {

namespace fs = std::filesystem;

std::string content_of(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return std::string(std::istreambuf_iterator<char>(in), {});
}

std::string listing_of(const std::string& source) {
  const ptc::CompileResult compiled = ptc::compile(source, {});
  if (compiled.program == nullptr) return "refused: " + compiled.error.message + '\n';
  const auto loaded = ptc::Program::from_bytes(ptc::program_bytes(*compiled.program));
  if (const auto* refused = std::get_if<ptc::ProgramError>(&loaded)) return "verifier: " + refused->message + '\n';
  return ptc::disassemble(*std::get<std::shared_ptr<const ptc::Program>>(loaded));
}

void show_first_difference(std::string_view golden, std::string_view now) {
  const auto [a, b] = std::mismatch(golden.begin(), golden.end(), now.begin(), now.end());
  const auto line = 1 + std::count(golden.begin(), a, '\n');
  const auto line_at = [](std::string_view text, std::size_t at) {
    const std::size_t before = text.rfind('\n', at == 0 ? 0 : at - 1);
    const std::size_t start = before == std::string_view::npos ? 0 : before + 1;
    return text.substr(start, text.find('\n', start) - start);
  };
  const std::string_view was = line_at(golden, static_cast<std::size_t>(a - golden.begin()));
  const std::string_view is = line_at(now, static_cast<std::size_t>(b - now.begin()));
  std::printf("  line %td\n  golden %.*s\n  now    %.*s\n", line, static_cast<int>(was.size()), was.data(),
              static_cast<int>(is.size()), is.data());
}

}  // namespace

int main(int count, char** texts) {
  const bool write = count == 3 && std::string_view(texts[2]) == "--write";
  if (count != 2 && !write) {
    std::fputs("usage: ptc_bytecode_test FOLDER [--write]\n", stderr);
    return 2;
  }
  std::vector<fs::path> sources;
  for (const auto& entry : fs::directory_iterator(texts[1])) {
    if (entry.path().extension() == ".ptc") sources.push_back(entry.path());
  }
  std::sort(sources.begin(), sources.end());
  std::size_t passed = 0, failed = 0;
  for (const fs::path& source : sources) {
    const fs::path golden_path = fs::path(source).replace_extension(".dis");
    const std::string now = listing_of(content_of(source));
    if (write) std::ofstream(golden_path, std::ios::binary) << now;
    const std::string golden = content_of(golden_path);
    if (golden == now) {
      ++passed;
      continue;
    }
    ++failed;
    std::printf("FAILED %s\n", source.filename().c_str());
    show_first_difference(golden, now);
  }
  std::printf("%zu passed, %zu failed\n", passed, failed);
  return failed == 0 && passed > 0 ? 0 : 1;
}
