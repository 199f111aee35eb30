// ptc_fuzz_smoke: all fuzz targets without a fuzzing engine, for builds that have none.
//
//   ptc_fuzz_smoke TARGET [--files N] [--runs N] [--seed N] [--last FILE] FILE|FOLDER…
//
// Runs the target on each file, or on N of them, then on N mutants, by the target's own mutator where it has one. The
// same arguments give the same mutants. A finding ends the process: --last keeps the input that was tried last.
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>
#include <vector>

#include "fuzz/fuzz_target.h"
#include "support/number_argument.h"

#define TARGET(name) extern "C" int ptc_fuzz_##name(const std::uint8_t* data, std::size_t size);
#define MUTATING_TARGET(name) \
  TARGET(name)                \
  extern "C" std::size_t ptc_mutate_##name(std::uint8_t* data, std::size_t size, std::size_t most, unsigned seed);
#include "fuzz_targets.def"
#undef TARGET
#undef MUTATING_TARGET

namespace {

using ptc::fuzz::Octets;
using ptc::fuzz::Random;

constexpr std::size_t kMostBytes = 1u << 16;

struct Target {
  std::string_view name;
  int (*run)(const std::uint8_t*, std::size_t);
  std::size_t (*mutate)(std::uint8_t*, std::size_t, std::size_t, unsigned);   // may be null
};

constexpr Target kTargets[] = {
#define TARGET(name) {#name, ptc_fuzz_##name, nullptr},
#define MUTATING_TARGET(name) {#name, ptc_fuzz_##name, ptc_mutate_##name},
#include "fuzz_targets.def"
#undef TARGET
#undef MUTATING_TARGET
};

struct Arguments {
  const Target* target = nullptr;
  std::uint64_t files = UINT32_MAX, runs = 0, seed = 1;
  std::string last;
  std::vector<std::string> paths;
};

std::optional<Arguments> read_arguments(int count, char** texts) {
  Arguments out;
  for (const Target& target : kTargets) {
    if (count > 1 && target.name == texts[1]) out.target = &target;
  }
  if (out.target == nullptr) return std::nullopt;
  for (int i = 2; i < count; ++i) {
    const std::string_view name = texts[i];
    if (!name.starts_with("--")) {
      out.paths.emplace_back(name);
      continue;
    }
    if (++i == count) return std::nullopt;
    if (name == "--last") {
      out.last = texts[i];
      continue;
    }
    std::uint64_t* const number = name == "--files"  ? &out.files
                                  : name == "--runs" ? &out.runs
                                  : name == "--seed" ? &out.seed
                                                     : nullptr;
    if (number == nullptr || !ptc::test::read_number(texts[i], *number)) return std::nullopt;
  }
  return out;
}

Octets bytes_of(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

// At most that many, from everywhere among them.
std::vector<Octets> read_inputs(const std::vector<std::string>& paths, std::uint64_t most) {
  std::vector<std::filesystem::path> files;
  for (const std::string& path : paths) {
    if (!std::filesystem::is_directory(path)) {
      files.emplace_back(path);
      continue;
    }
    for (const auto& entry : std::filesystem::recursive_directory_iterator(path)) {
      if (entry.is_regular_file()) files.push_back(entry.path());
    }
  }
  std::ranges::sort(files);
  std::vector<Octets> inputs;
  const std::size_t count = std::min<std::size_t>(files.size(), most);
  for (std::size_t k = 0; k < count; ++k) inputs.push_back(bytes_of(files[k * files.size() / count]));
  return inputs;
}

void attempt(const Arguments& arguments, const Octets& input) {
  if (!arguments.last.empty()) {
    std::ofstream out(arguments.last, std::ios::binary | std::ios::trunc);
    out.write(reinterpret_cast<const char*>(input.data()), static_cast<std::streamsize>(input.size()));
  }
  const Octets copy(input);   // of exactly its size: a sanitizer sees what reads beyond it
  arguments.target->run(copy.data(), copy.size());
}

Octets mutant(const Target& target, const std::vector<Octets>& inputs, Random& random) {
  Octets bytes = random.pick(inputs);
  if (target.mutate == nullptr) return ptc::test::mutated_bytes(std::move(bytes), random.pick(inputs), random);
  std::size_t size = bytes.size();
  bytes.resize(std::max(size, kMostBytes));
  for (unsigned k = 1 + random.below(3); k > 0; --k) {
    size = target.mutate(bytes.data(), size, bytes.size(), static_cast<unsigned>(random.next()));
  }
  bytes.resize(size);
  return bytes;
}

}  // namespace

// What an engine has of its own, for the mutators that call it.
extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t most) {
  Random random(ptc::fuzz::seed_of({data, size}));
  return ptc::fuzz::put_mutant(ptc::test::mutated_bytes(Octets(data, data + size), {}, random), data, size, most);
}

int main(int count, char** texts) {
  const std::optional<Arguments> arguments = read_arguments(count, texts);
  const std::vector<Octets> inputs = arguments ? read_inputs(arguments->paths, arguments->files)
                                             : std::vector<Octets>();
  if (inputs.empty()) {
    std::fputs("usage: ptc_fuzz_smoke TARGET [--files N] [--runs N] [--seed N] [--last FILE] FILE|FOLDER…\n"
               "targets:",
               stderr);
    for (const Target& target : kTargets) std::fprintf(stderr, " %s", target.name.data());
    std::fputs("\nat least one file is needed\n", stderr);
    return 2;
  }
  for (const Octets& input : inputs) attempt(*arguments, input);
  Random random(arguments->seed);
  for (std::uint64_t k = 0; k < arguments->runs; ++k) attempt(*arguments, mutant(*arguments->target, inputs, random));
  std::printf("%s: %zu files and %llu mutants, nothing found\n", arguments->target->name.data(), inputs.size(),
              static_cast<unsigned long long>(arguments->runs));
  return 0;
}
