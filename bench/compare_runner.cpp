// ptcvm's side of bench/compare:
//
//   ptc_compare [--runs N] FILE.ptc…
//
// Compiles each program once and runs it N times, limits switched on, a fresh run each time; one line of JSON a
// program: {"workload": name, "ms": […], "result": …} in processor time.
#include <ctime>
#include <filesystem>
#include <iomanip>
#include <string>
#include <vector>

#include "bench/workload.h"

namespace {

double processor_ms() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e3 + static_cast<double>(now.tv_nsec) / 1e6;
}

struct Arguments {
  int runs = 5;
  std::vector<std::string> files;
};

Arguments parsed(int argc, char** argv) {
  Arguments out;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (word == "--runs" && i + 1 < argc) {
      out.runs = std::atoi(argv[++i]);
    } else {
      out.files.push_back(word);
    }
  }
  return out;
}

void measure(const ptc::Engine& engine, const std::string& file, const Arguments& arguments) {
  const auto program = ptc::bench::compiled(engine, ptc::bench::read_file(file));
  std::int64_t result = 0;
  std::cout << "{\"workload\": \"" << std::filesystem::path(file).stem().string() << "\", \"ms\": [";
  for (int i = 0; i < arguments.runs; ++i) {
    const double start = processor_ms();
    {
      const ptc::Run run = ptc::bench::finished(program);
      if (!run.result().is_int()) ptc::bench::give_up(file + " gives no integer");
      result = run.result().i;
    }
    std::cout << (i == 0 ? "" : ", ") << std::fixed << std::setprecision(4) << processor_ms() - start;
  }
  std::cout << "], \"result\": " << result << "}" << std::endl;
}

}  // namespace

int main(int argc, char** argv) {
  const Arguments arguments = parsed(argc, argv);
  if (arguments.files.empty()) ptc::bench::give_up("usage: ptc_compare [--runs N] FILE.ptc...");
  const ptc::Engine engine;
  for (const std::string& file : arguments.files) measure(engine, file, arguments);
}
