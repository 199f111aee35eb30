// Equal states are equal bytes, whatever compiler built the engine: the digest of all snapshots of some programs, in
// both faces and at every safe point, is what tests/snapshots/digests.txt says.
//
//   ptc_digest_test FOLDER FILE [--write]
//
// A change of the compiler, of the prelude or of what a state holds changes digests; then --write, in the same commit.
// That GCC and Clang, release and sanitized builds agree is what they are for: each runs this test.
#include <sodium.h>

#include <array>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <string>

#include "support/program_file.h"
#include "support/program_run.h"
#include "vm/snapshot/snapshot.h"

namespace {

std::string hex(const std::array<unsigned char, crypto_hash_sha256_BYTES>& bytes) {
  std::string text(2 * bytes.size() + 1, '\0');
  sodium_bin2hex(text.data(), text.size(), bytes.data(), bytes.size());
  text.pop_back();
  return text;
}

// "NAME STATES DIGEST"
std::string line_of(const ptc::Engine& engine, const ptc::test::ProgramFile& file) {
  crypto_hash_sha256_state hash;
  crypto_hash_sha256_init(&hash);
  std::size_t states = 0;
  for (const auto& bytes : snapshots_of(engine, file, 1, [] { return true; })) {
    auto result = ptc::restore_snapshot(bytes);
    auto* restored = std::get_if<ptc::Restored>(&result);
    if (restored == nullptr) return file.name + " is refused";
    const std::string text = ptc::write_snapshot_json(restored->run, restored->host);
    for (const auto& [key, value] : restored->host.cached_answers) restored->run.heap().release(value);
    crypto_hash_sha256_update(&hash, bytes.data(), bytes.size());
    crypto_hash_sha256_update(&hash, reinterpret_cast<const unsigned char*>(text.data()), text.size());
    ++states;
  }
  std::array<unsigned char, crypto_hash_sha256_BYTES> digest;
  crypto_hash_sha256_final(&hash, digest.data());
  return file.name + ' ' + std::to_string(states) + ' ' + hex(digest);
}

}  // namespace

int main(int count, char** texts) {
  const bool writes = count == 4 && std::string(texts[3]) == "--write";
  if (count < 3 || (count == 4 && !writes) || count > 4) {
    std::fputs("usage: ptc_digest_test FOLDER FILE [--write]\n", stderr);
    return 2;
  }
  const ptc::Engine engine;
  std::string lines;
  int programs = 0;
  for (const auto& file : ptc::test::read_program_files(texts[1], "")) {
    lines += line_of(engine, file) + '\n';
    ++programs;
  }
  if (writes) {
    std::ofstream(texts[2]) << lines;
    return 0;
  }
  std::ifstream in(texts[2]);
  const std::string expected{std::istreambuf_iterator<char>(in), {}};
  if (programs > 0 && lines == expected) return std::printf("%d programs passed, 0 failed\n", programs), 0;
  std::printf("expected\n%s\nseen\n%s", expected.c_str(), lines.c_str());
  return 1;
}
