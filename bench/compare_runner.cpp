// ptcvm's side of bench/compare, and what bench/guard counts:
//
//   ptc_compare [--runs N] [--replace FROM=TO]… FILE.ptc…
//
// Compiles each program once and runs it N times, limits switched on, a fresh run each time; one line of JSON a
// program: {"workload": name, "result": …, "ms": […]} in processor time. --replace changes the text before, so that
// the same program can be measured at another size.
#include <ctime>
#include <filesystem>
#include <iomanip>
#include <string>
#include <utility>
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
  std::vector<std::pair<std::string, std::string>> replacements;
  std::vector<std::string> files;
};

Arguments parsed(int argc, char** argv) {
  Arguments out;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (word == "--runs" && i + 1 < argc) {
      out.runs = std::atoi(argv[++i]);
    } else if (word == "--replace" && i + 1 < argc) {
      const std::string pair = argv[++i];
      const std::size_t middle = pair.find('=');
      if (middle == 0 || middle == std::string::npos) ptc::bench::give_up("--replace wants FROM=TO");
      out.replacements.emplace_back(pair.substr(0, middle), pair.substr(middle + 1));
    } else {
      out.files.push_back(word);
    }
  }
  return out;
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  std::size_t at = text.find(from);
  if (at == std::string::npos) ptc::bench::give_up("there is no " + from + " in the program");
  for (; at != std::string::npos; at = text.find(from, at + to.size())) text.replace(at, from.size(), to);
  return text;
}

void measure(const ptc::Engine& engine, const std::string& file, const Arguments& arguments) {
  std::string source = ptc::bench::read_file(file);
  for (const auto& [from, to] : arguments.replacements) source = replaced(std::move(source), from, to);
  const auto program = ptc::bench::compiled(engine, source);
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
  if (arguments.files.empty()) ptc::bench::give_up("usage: ptc_compare [--runs N] [--replace FROM=TO] FILE.ptc...");
  const ptc::Engine engine;
  for (const std::string& file : arguments.files) measure(engine, file, arguments);
}
