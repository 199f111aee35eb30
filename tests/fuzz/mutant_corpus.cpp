#include "fuzz/mutant_corpus.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>

#include "snapshot_generated.h"
#include "support/packed_snapshot.h"
#include "support/program_run.h"

namespace ptc::test {
namespace {

namespace fs = std::filesystem;

Octets file_octets(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::vector<fs::path> files_below(const fs::path& folder, std::string_view extension) {
  std::vector<fs::path> out;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.path().extension() == extension) out.push_back(entry.path());
  }
  std::sort(out.begin(), out.end());
  return out;
}

Octets without_checksum(const Octets& bytes) {
  const std::unique_ptr<schema::SnapshotT> parts(schema::GetSnapshot(bytes.data())->UnPack());
  parts->format = parts->oldest_reader = kFirstFormatWithChecksum - 1;
  return packed_snapshot(*parts);
}

Octets json_of(const Octets& bytes) {
  auto result = restore_snapshot(bytes);
  auto* const restored = std::get_if<Restored>(&result);
  if (restored == nullptr) return {};
  const std::string text = write_snapshot_json(restored->run, restored->host);
  for (const auto& [key, value] : restored->host.cached_answers) restored->run.heap().release(value);
  return {text.begin(), text.end()};
}

}  // namespace

End ended(const Engine& engine, const ProgramFile& file, std::span<const std::uint8_t> snapshot) {
  SessionRestore wanted;
  wanted.most.fuel = 2'000'000;
  wanted.most.memory_bytes = 64u << 20;
  wanted.most.pending_operations = 1'000;
  wanted.most.suspensions = 1'000;
  wanted.most.string_bytes = 8u << 20;
  Observation seen = observe_rest(engine, file, snapshot, wanted);
  if (!seen.setup_complaint.empty()) return {true, false, std::move(seen.setup_complaint)};
  return {false, seen.status == OutcomeStatus::Error, observation_text(seen)};
}

MutantCorpus::MutantCorpus(const Engine& engine, const std::string& folder, std::uint64_t seed) {
  for (const fs::path& path : files_below(folder, ".ptc")) {
    const Octets text = file_octets(path);
    fs::path name = path;
    files_.push_back(parse_program_file(name.replace_extension().string(), {text.begin(), text.end()}));
  }
  Random random(seed);
  for (const ProgramFile& file : files_) {
    put_golden(engine, file);
    put_fresh(engine, file, random);
  }
  for (const Keeping keeping : kKeepings) {
    if (kept(keeping).empty()) complaint_ = "no snapshots under " + folder;
  }
}

void MutantCorpus::put(const Engine& engine, Keeping keeping, const ProgramFile& file, Octets bytes) {
  std::span<const std::uint8_t> snapshot;
  const std::string closed = open_kept(keeping, bytes, snapshot);
  End end = closed.empty() ? ended(engine, file, snapshot) : End{true, false, closed};
  if (end.refused) complaint_ = file.name + ", " + std::string(keeping_name(keeping)) + ": " + end.text;
  kept_[static_cast<std::size_t>(keeping)].push_back({&file, std::move(bytes), std::move(end.text)});
}

void MutantCorpus::put_golden(const Engine& engine, const ProgramFile& file) {
  const fs::path program = file.name;
  for (const fs::path& path : files_below(program.parent_path(), ".ptcs")) {
    if (!path.filename().string().starts_with(program.filename().string() + '.')) continue;
    Octets bytes = file_octets(path);
    if (snapshot_kind(bytes) != SnapshotKind::WithoutChecksum) continue;
    put(engine, Keeping::WithoutChecksum, file, std::move(bytes));
  }
}

void MutantCorpus::put_fresh(const Engine& engine, const ProgramFile& file, Random& random) {
  constexpr std::size_t kMost = 3;
  const unsigned skip = 1 + random.below(12);
  std::size_t taken = 0;
  for (const Octets& bytes : snapshots_of(engine, file, 1, [&] { return random.below(skip) == 0; })) {
    if (taken == kMost) return;
    ++taken;
    put(engine, Keeping::AsShipped, file, bytes);
    put(engine, Keeping::Rechecksummed, file, bytes);
    put(engine, Keeping::WithoutChecksum, file, without_checksum(bytes));
    put(engine, Keeping::Sealed, file, sealed_by_the_host(bytes));
    put(engine, Keeping::Json, file, json_of(bytes));
  }
}

}  // namespace ptc::test
