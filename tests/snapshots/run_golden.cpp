// Golden snapshots: what an engine of each format wrote, and what must still come of it.
//
//   ptc_golden_test FOLDER [--add]
//
// FOLDER/vN/NAME.ptc is a test program (support/program_file.h), NAME.K.ptcs and NAME.K.json are one state of it in
// both faces, NAME.end is what the whole run shows in the end, however it was cut. A run may use more or less fuel than
// once; that is not in it. --add writes what a program of the newest format lacks, and never touches a file that is
// there: snapshots that were kept once are kept for ever.
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "schema/version.h"
#include "support/program_file.h"
#include "support/program_run.h"
#include "vm/snapshot/snapshot.h"

namespace {

namespace fs = std::filesystem;
using Octets = std::vector<std::uint8_t>;
using ptc::test::ProgramFile;

Octets file_octets(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::string file_text(const fs::path& path) {
  const Octets octets = file_octets(path);
  return {octets.begin(), octets.end()};
}

template <class Bytes>
void write_new(const fs::path& path, const Bytes& bytes) {
  if (fs::exists(path)) return;
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  std::printf("wrote %s\n", path.c_str());
}

fs::path beside(const fs::path& program, const std::string& extension) {
  return program.parent_path() / (program.stem().string() + extension);
}

std::vector<fs::path> files_of(const fs::path& folder, const std::string& beginning, const std::string& extension) {
  std::vector<fs::path> out;
  for (const auto& entry : fs::directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with(beginning) && name.ends_with(extension)) out.push_back(entry.path());
  }
  std::sort(out.begin(), out.end());
  return out;
}

// Both faces of one state, as this engine writes them; empty when it is refused.
struct Faces {
  Octets binary;
  std::string text;
};

Faces faces_of(const Octets& bytes) {
  auto result = ptc::restore_snapshot(bytes);
  auto* restored = std::get_if<ptc::Restored>(&result);
  if (restored == nullptr) return {};
  Faces faces{ptc::write_snapshot(restored->run, restored->host),
              ptc::write_snapshot_json(restored->run, restored->host)};
  for (const auto& [key, value] : restored->host.cached_answers) restored->run.heap().release(value);
  return faces;
}

// Three states on the way, and the last one.
void add(const ptc::Engine& engine, const fs::path& path, const ProgramFile& file) {
  if (fs::exists(beside(path, ".end"))) return;
  const auto straight = observe(engine, file, ptc::test::Mode::Straight);
  const std::vector<Octets> all = snapshots_of(engine, file, 1, [] { return true; });
  const std::size_t count = all.size();
  int number = 0;
  for (const std::size_t index : {count / 4, count / 2, count * 3 / 4, count - 1}) {
    const Faces faces = faces_of(all.at(index));
    ++number;
    write_new(beside(path, '.' + std::to_string(number) + ".ptcs"), faces.binary);
    write_new(beside(path, '.' + std::to_string(number) + ".json"), faces.text);
  }
  write_new(beside(path, ".end"), observation_text(straight));
}

struct Tally {
  int passed = 0, failed = 0;

  void check(bool good, const fs::path& path, const std::string& what) {
    ++(good ? passed : failed);
    if (!good) std::printf("FAILED %s\n%s\n", path.c_str(), what.c_str());
  }
};

void check_ends(const ptc::Engine& engine, const fs::path& path, const ProgramFile& file, Tally& tally) {
  const std::string end = file_text(beside(path, ".end"));
  tally.check(!end.empty(), path, "  no .end beside it: --add");
  for (const char* const extension : {".ptcs", ".json"}) {
    const auto snapshots = files_of(path.parent_path(), path.stem().string() + '.', extension);
    tally.check(!snapshots.empty(), path, "  no snapshot beside it: --add");
    for (const fs::path& snapshot : snapshots) {
      const auto seen = observe_rest(engine, file, file_octets(snapshot));
      const std::string text = seen.setup_complaint.empty() ? observation_text(seen) : seen.setup_complaint;
      tally.check(text == end, snapshot, "  expected " + end + "\n  seen     " + text);
    }
  }
}

void check_faces(const fs::path& path, Tally& tally) {
  for (const fs::path& binary : files_of(path.parent_path(), path.stem().string() + '.', ".ptcs")) {
    const fs::path text = binary.parent_path() / (binary.stem().string() + ".json");
    const Octets bytes = file_octets(binary);
    const Faces from_binary = faces_of(bytes), from_text = faces_of(file_octets(text));
    const bool same = !from_binary.binary.empty() && from_binary.binary == from_text.binary;
    tally.check(same && from_binary.text == from_text.text, binary, "  its two faces are not one state");
    const auto header = ptc::snapshot_header(bytes);
    if (header && header->format == ptc::kSnapshotFormat) {
      tally.check(from_binary.binary == bytes, binary, "  restored, and written otherwise");
      tally.check(from_text.text == file_text(text), text, "  restored, and written otherwise");
    }
  }
}

}  // namespace

int main(int count, char** texts) {
  const bool adds = count == 3 && std::string(texts[2]) == "--add";
  if (count < 2 || (count == 3 && !adds) || count > 3) {
    std::fputs("usage: ptc_golden_test FOLDER [--add]\n", stderr);
    return 2;
  }
  const ptc::Engine engine;
  Tally tally;
  for (int format = 1; format <= ptc::kSnapshotFormat; ++format) {
    const fs::path folder = fs::path(texts[1]) / ("v" + std::to_string(format));
    const auto programs = files_of(folder, "", ".ptc");
    tally.check(!programs.empty(), folder, "  no programs");
    for (const fs::path& path : programs) {
      const ProgramFile file = ptc::test::parse_program_file(path.stem().string(), file_text(path));
      tally.check(file.complaint.empty(), path, file.complaint);
      if (adds && format == ptc::kSnapshotFormat) add(engine, path, file);
      check_ends(engine, path, file, tally);
      check_faces(path, tally);
    }
  }
  std::printf("%d passed, %d failed\n", tally.passed, tally.failed);
  return tally.failed == 0 ? 0 : 1;
}
