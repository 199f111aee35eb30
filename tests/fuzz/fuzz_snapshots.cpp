// ptc_snapshot_fuzz: breaks snapshots at random and restores them; what can be restored runs to its end.
//
//   ptc_snapshot_fuzz [--programs FOLDER] [--generated N] [--seed N] [--count N] [--seconds N] [--last FILE]
//                     [--replay FILE]
//
// The corpus are snapshots of the test programs under FOLDER and of N generated programs, at random safe points, in
// both faces. Mutants change bytes, or well-formed parts. Each is stored in FILE (--last) before it is tried, for
// --replay FILE SEED after a crash. Clean when nothing crashes and no complaint is printed. A sanitized build is what
// it is for.
#include <chrono>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <map>
#include <string>

#include "fuzz/json_mutation.h"
#include "fuzz/snapshot_mutation.h"
#include "support/generated_file.h"
#include "support/number_argument.h"
#include "support/program_run.h"
#include "support/snapshot_drive.h"

namespace {

using ptc::test::file_of;
using ptc::test::mutated_bytes;
using ptc::test::mutated_json;
using ptc::test::mutated_parts;
using ptc::test::Octets;
using ptc::test::Random;

struct Arguments {
  std::string programs, last, replay;
  std::uint64_t generated = 100, seed = 1, count = 1'000, seconds = UINT32_MAX;
  bool refused = false;
};

Arguments read_arguments(int count, char** texts) {
  Arguments out;
  for (int i = 1; i < count; i += 2) {
    const std::string_view name = texts[i];
    if (i + 1 == count) return out.refused = true, out;
    const char* value = texts[i + 1];
    if (name == "--programs") {
      out.programs = value;
    } else if (name == "--last") {
      out.last = value;
    } else if (name == "--replay") {
      out.replay = value;
    } else {
      std::uint64_t* number = name == "--generated" ? &out.generated
                              : name == "--seed"    ? &out.seed
                              : name == "--count"   ? &out.count
                              : name == "--seconds" ? &out.seconds
                                                    : nullptr;
      if (number == nullptr || !ptc::test::read_number(value, *number)) return out.refused = true, out;
    }
  }
  return out;
}

// Up to three snapshots of a program, early and late ones alike.
void collect(const ptc::Engine& engine, ptc::test::ProgramFile file, Random& random, std::vector<Octets>& corpus) {
  constexpr std::size_t kMost = 3, kLargest = 20'000;
  if (!file.complaint.empty() || file.heavy) return;
  file.options.limits = ptc::test::small_limits();   // those under which it is restored
  std::size_t taken = 0;
  const unsigned skip = 1 + random.below(6);
  for (Octets& bytes : snapshots_of(engine, file, 1 + random.below(60), [&] { return random.below(skip) == 0; })) {
    if (bytes.size() > kLargest) continue;
    corpus.push_back(std::move(bytes));
    if (++taken == kMost) return;
  }
}

std::vector<Octets> corpus_of(const Arguments& arguments, Random& random) {
  const ptc::Engine engine({.cached_programs = 0, .shelved_programs = 0});
  std::vector<Octets> corpus;
  for (std::uint64_t k = 1; k <= arguments.generated; ++k) {
    ptc::generator::GeneratorOptions options;
    options.seed = k;
    options.size = 40 + random.below(80);
    collect(engine, file_of(generate_program(options), k), random, corpus);
  }
  if (arguments.programs.empty()) return corpus;
  for (const auto& file : ptc::test::read_program_files(arguments.programs, "")) collect(engine, file, random, corpus);
  return corpus;
}

// The other face, for small ones; "" when it is large.
std::string json_of(const Octets& bytes) {
  constexpr std::size_t kLargest = 6'000;
  if (bytes.size() > kLargest) return {};
  auto result = ptc::restore_snapshot(bytes);
  auto* const restored = std::get_if<ptc::Restored>(&result);
  if (restored == nullptr) return {};
  std::string text = ptc::write_snapshot_json(restored->run, restored->host);
  for (const auto& [key, value] : restored->host.cached_answers) restored->run.heap().release(value);
  return text;
}

struct Corpus {
  std::vector<Octets> binary;
  std::vector<std::string> json;
};

Octets mutant(const Corpus& corpus, Random& random) {
  const auto octets = [](const std::string& text) { return Octets(text.begin(), text.end()); };
  if (random.below(4) == 0 && !corpus.json.empty()) {
    const std::string &first = random.pick(corpus.json), &second = random.pick(corpus.json);
    if (random.below(4) != 0) return octets(mutated_json(first, second, random));
    return mutated_bytes(octets(first), octets(second), random);
  }
  const Octets &first = random.pick(corpus.binary), &second = random.pick(corpus.binary);
  return random.below(4) == 0 ? mutated_bytes(first, second, random) : mutated_parts(first, second, random);
}

void store(const std::string& path, const Octets& bytes, std::uint64_t seed) {
  if (path.empty()) return;
  std::ofstream out(path, std::ios::binary | std::ios::trunc);
  out.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  std::ofstream(path + ".seed") << seed << '\n';
}

struct Tally {
  std::uint64_t tried = 0, restored = 0, complaints = 0;
  std::map<std::string, std::uint64_t> refusals;
  std::chrono::microseconds slowest{};
};

// Why it was refused.
std::string attempt(const Arguments& arguments, const Octets& bytes, std::uint64_t seed, Tally& tally) {
  store(arguments.last, bytes, seed);
  const auto start = std::chrono::steady_clock::now();
  const ptc::test::Driven driven = ptc::test::drive_snapshot(bytes, seed);
  const auto spent =
      std::chrono::duration_cast<std::chrono::microseconds>(std::chrono::steady_clock::now() - start);
  constexpr std::chrono::microseconds kSlow{2'000'000};
  ++tally.tried;
  if (driven.restored) ++tally.restored;
  if (!driven.restored) ++tally.refusals[std::string(snapshot_error_name(driven.refusal.kind))];
  tally.slowest = std::max(tally.slowest, spent);
  if (driven.complaint.empty() && spent < kSlow) return driven.refusal.message;
  ++tally.complaints;
  const std::string path = (arguments.last.empty() ? "complaint" : arguments.last) + "." + std::to_string(seed);
  store(path, bytes, seed);
  std::printf("COMPLAINT %s (%lld us) kept in %s\n", driven.complaint.c_str(), static_cast<long long>(spent.count()),
              path.c_str());
  return driven.refusal.message;
}

void report(const Tally& tally) {
  std::printf("%llu tried, %llu restored, %llu complaints, slowest %lld us",
              static_cast<unsigned long long>(tally.tried), static_cast<unsigned long long>(tally.restored),
              static_cast<unsigned long long>(tally.complaints), static_cast<long long>(tally.slowest.count()));
  for (const auto& [name, count] : tally.refusals) {
    std::printf(", %llu %s", static_cast<unsigned long long>(count), name.c_str());
  }
  std::printf("\n");
  std::fflush(stdout);
}

Octets file_bytes(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

}  // namespace

int main(int count, char** texts) {
  const Arguments arguments = read_arguments(count, texts);
  if (arguments.refused) {
    std::fputs("usage: ptc_snapshot_fuzz [--programs FOLDER] [--generated N] [--seed N] [--count N] [--seconds N]\n"
               "                         [--last FILE] [--replay FILE]\n", stderr);
    return 2;
  }
  Tally tally;
  if (!arguments.replay.empty()) {
    attempt({}, file_bytes(arguments.replay), arguments.seed, tally);
    report(tally);
    return tally.complaints == 0 ? 0 : 1;
  }
  Random random(arguments.seed);
  Corpus corpus{corpus_of(arguments, random), {}};
  for (const Octets& bytes : corpus.binary) {
    if (std::string text = json_of(bytes); !text.empty()) corpus.json.push_back(std::move(text));
  }
  std::printf("%zu snapshots, %zu of them also as JSON\n", corpus.binary.size(), corpus.json.size());
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(arguments.seconds);
  for (const Octets& bytes : corpus.binary) {
    const std::uint64_t restored = tally.restored;
    const std::string why = attempt(arguments, bytes, random.next(), tally);
    if (tally.restored != restored) continue;
    ++tally.complaints;
    std::printf("COMPLAINT a snapshot that nobody changed was refused: %s\n", why.c_str());
  }
  while (tally.tried < arguments.count && std::chrono::steady_clock::now() < end) {
    const Octets bytes = mutant(corpus, random);
    attempt(arguments, bytes, random.next(), tally);
    if (tally.tried % 20'000 == 0) report(tally);
  }
  report(tally);
  return tally.complaints == 0 ? 0 : 1;
}
