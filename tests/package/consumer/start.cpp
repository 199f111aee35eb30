// Runs a program until it waits for a person, and writes what it then is to a file: start PROGRAM.ptc STATE
#include <fstream>
#include <iostream>
#include <iterator>
#include <map>
#include <string>
#include <vector>

#include <ptcvm/ptcvm.hpp>

#include "tools.hpp"

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  std::ifstream file(argv[1]);
  const std::string source{std::istreambuf_iterator<char>(file), {}};

  const ptcvm::Engine engine;
  ptcvm::RunOptions options;
  options.tools = order_tools();
  const auto program = engine.compile(source, {.name = argv[1], .tools = &options.tools});
  if (!program) return std::cerr << program.error().message << '\n', 1;
  auto run = ptcvm::Run::start(engine, *program, options);
  if (!run) return std::cerr << run.error().message << '\n', 1;

  std::cout << ptcvm::run_state_name(run->step()) << '\n';
  for (const ptcvm::PendingOperation& waits : run->pending()) {
    std::cout << waits.id << ' ' << waits.tool << ' ' << waits.args.to_edn() << '\n';
  }
  const std::vector<std::byte> state = run->snapshot();
  std::ofstream(argv[2], std::ios::binary)
      .write(reinterpret_cast<const char*>(state.data()), static_cast<std::streamsize>(state.size()));
}
