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

#include "support/program_file.h"
#include "support/program_run.h"

namespace {

// A line break of the text is never inside of a string: there it is written \n.
void print_line(std::string text) {
  std::replace(text.begin(), text.end(), '\n', ' ');
  text.back() = '\n';
  std::fwrite(text.data(), 1, text.size(), stdout);
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
  const ptc::Engine engine;
  for (const ptc::test::ProgramFile& file : ptc::test::read_program_files(texts[1], "")) {
    if (file.heavy || !file.complaint.empty()) continue;
    const std::uint64_t fuel = observe(engine, file, ptc::test::Mode::Straight).fuel;
    each_json_face(engine, file, 1 + fuel / points, print_line);
  }
  return std::fflush(stdout) == 0 ? 0 : 1;
}
