#include "runtime/engine/program_shelf.h"

#include <gtest/gtest.h>

#include <string>

#include "runtime/engine/engine.h"
#include "vm/exec/program.h"

namespace ptc {
namespace {

using Bytes = std::vector<std::uint8_t>;

std::shared_ptr<const Program> program(const std::string& source) {
  static const Engine engine;
  CompileRequest request;
  request.source = source;
  return engine.compile(request).program;
}

TEST(ProgramShelf, FindsAProgramByItsHashItsBytesAndItsPackedBytes) {
  ProgramShelf shelf(10, 1 << 20);
  const auto kept = program("(+ 1 2)");
  EXPECT_EQ(shelf.find_packed(kept->encoded().packed), nullptr);
  shelf.keep(kept);
  shelf.keep(program("(+ 3 4)"));
  EXPECT_EQ(shelf.find(kept->encoded().sha256), kept);
  EXPECT_EQ(shelf.find_bytes(kept->encoded().bytes), kept);
  EXPECT_EQ(shelf.find_packed(kept->encoded().packed), kept);
}

TEST(ProgramShelf, BytesThatDifferAnywhereAreAnotherProgram) {
  ProgramShelf shelf(10, 1 << 20);
  const auto kept = program("(+ 1 2)");
  shelf.keep(kept);
  const Bytes packed = kept->encoded().packed;
  for (std::size_t at = 0; at < packed.size(); ++at) {
    Bytes other = packed;
    other[at] ^= 1;
    EXPECT_EQ(shelf.find_packed(other), nullptr) << at;
    other.resize(at);
    EXPECT_EQ(shelf.find_packed(other), nullptr) << at;
  }
}

TEST(ProgramShelf, ForgetsTheOldestProgramInEveryForm) {
  ProgramShelf shelf(2, 1 << 20);
  const auto first = program("(+ 1 2)"), second = program("(+ 3 4)"), third = program("(+ 5 6)");
  for (const auto& one : {first, second, third}) shelf.keep(one);
  EXPECT_EQ(shelf.find(first->encoded().sha256), nullptr);
  EXPECT_EQ(shelf.find_bytes(first->encoded().bytes), nullptr);
  EXPECT_EQ(shelf.find_packed(first->encoded().packed), nullptr);
  EXPECT_EQ(shelf.find_packed(second->encoded().packed), second);
  EXPECT_EQ(shelf.find_packed(third->encoded().packed), third);
}

}  // namespace
}  // namespace ptc
