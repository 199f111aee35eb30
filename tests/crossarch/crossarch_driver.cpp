// Parks programs as bytes, and goes on with such bytes, perhaps of another architecture (tests/crossarch/run).
//
//   crossarch_driver park FOLDER PROGRAM…   writes a snapshot of each program after each of a few steps
//   crossarch_driver go FOLDER              goes on with every snapshot there: "NAME STATE VALUE" in a line for each
#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "ptcvm/ptcvm.hpp"

namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kTime = 1'767'225'600'000;   // what each program takes for now, in ms since 1970

[[noreturn]] void stop(const std::string& why) {
  std::fprintf(stderr, "crossarch_driver: %s\n", why.c_str());
  std::exit(1);
}

std::string text_of(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

// Parks after 1, 10, 100, 1,000 … units of work, as long as the program is not over.
void park(const ptcvm::Engine& engine, const fs::path& folder, const fs::path& file) {
  ptcvm::CompileOptions wanted;
  wanted.check_tools = false;
  const auto program = engine.compile(text_of(file), wanted);
  if (!program) return;   // a claim about what is refused
  ptcvm::RunOptions options;
  options.time_ms = kTime;
  options.check_tools = false;
  auto run = ptcvm::Run::start(engine, *program, options);
  if (!run) stop(file.string() + ": " + run.error().message);
  const std::string name = file.parent_path().filename().string() + "." + file.stem().string();
  for (std::uint64_t fuel = 1; fuel < 100'000; fuel *= 10) {
    if (run->step(fuel) != ptcvm::RunState::Yielded) return;
    const std::vector<std::byte> bytes = run->snapshot();
    std::ofstream out(folder / (name + "." + std::to_string(fuel)), std::ios::binary);
    out.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  }
}

void go_on(const ptcvm::Engine& engine, const fs::path& file) {
  const std::string bytes = text_of(file), name = file.filename().string();
  ptcvm::RestoreOptions options;
  options.time_ms = kTime;
  auto run = ptcvm::Run::restore(engine, std::as_bytes(std::span(bytes.data(), bytes.size())), options);
  if (!run) {
    std::printf("%s refused %s: %s\n", name.c_str(), std::string(run.error().detail).c_str(),
                run.error().message.c_str());
    return;
  }
  const auto state = static_cast<int>(run->step(20'000));
  std::string value = run->result().to_edn();
  for (const std::string_view line : run->prints()) value.append(" | ").append(line);
  std::replace(value.begin(), value.end(), '\n', ' ');
  std::printf("%s %d %s\n", name.c_str(), state, value.c_str());
}

}  // namespace

int main(int count, char** words) {
  if (count < 3) stop("usage: crossarch_driver park FOLDER PROGRAM…, or go FOLDER");
  const ptcvm::Engine engine;
  const std::string what = words[1];
  if (what == "park") {
    for (int at = 3; at < count; ++at) park(engine, words[2], words[at]);
  } else {
    std::vector<fs::path> files;
    for (const auto& entry : fs::directory_iterator(words[2])) files.push_back(entry.path());
    std::ranges::sort(files);
    for (const fs::path& file : files) go_on(engine, file);
  }
}
