// Prints the JSON face of many real states, one a line: ptc_json_faces FOLDER [POINTS]
//
// Every program of the folder is stopped at about POINTS safe points (8 when nothing is said), spread over its run, and
// wherever it waits for a tool or an operation. Programs that are heavy are left out: their states are large, and tell
// nothing about the format that the others do not.
#include <algorithm>
#include <charconv>
#include <cstdio>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "support/program_file.h"
#include "support/program_run.h"
#include "vm/snapshot/snapshot.h"

namespace {

// A line break of the text is never inside of a string: there it is written \n.
void print_line(std::string text) {
  std::replace(text.begin(), text.end(), '\n', ' ');
  text.back() = '\n';
  std::fwrite(text.data(), 1, text.size(), stdout);
}

bool print_face(const std::vector<std::uint8_t>& bytes) {
  auto restored = ptc::restore_snapshot(bytes);
  auto* const state = std::get_if<ptc::Restored>(&restored);
  if (state == nullptr) return false;
  print_line(write_snapshot_json(state->run, state->host));
  for (const auto& [key, value] : state->host.cached_answers) state->run.heap().release(value);
  return true;
}

}  // namespace

int main(int count, char** texts) {
  std::uint64_t points = 8;
  const std::string_view wanted = count > 2 ? texts[2] : "8";
  const auto read = std::from_chars(wanted.data(), wanted.data() + wanted.size(), points);
  if (count < 2 || count > 3 || read.ec != std::errc() || points == 0) {
    std::fputs("usage: ptc_json_faces FOLDER [POINTS]\n", stderr);
    return 2;
  }
  bool all_restored = true;
  const ptc::Engine engine;
  for (const ptc::test::ProgramFile& file : ptc::test::read_program_files(texts[1], "")) {
    if (file.heavy || !file.complaint.empty()) continue;
    const std::uint64_t fuel = observe(engine, file, ptc::test::Mode::Straight).fuel;
    for (const auto& bytes : snapshots_of(engine, file, 1 + fuel / points, [] { return true; })) {
      all_restored = print_face(bytes) && all_restored;
    }
  }
  return all_restored && std::fflush(stdout) == 0 ? 0 : 1;
}
