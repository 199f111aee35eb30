// Goes on from that file with the answer of a person: finish STATE OPERATION DECISION
//
// It has no use for the source of the program: linked with the lean library, it cannot even compile one.
#include <fstream>
#include <iostream>
#include <iterator>
#include <map>
#include <string>
#include <vector>

#include <ptcvm/ptcvm.hpp>

#include "tools.hpp"

int main(int argc, char** argv) {
  if (argc != 4) return 2;
  std::ifstream file(argv[1], std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(file), {}};

  const ptcvm::Engine engine;
  const auto compiled = engine.compile("(+ 1 2)");
  std::cout << (compiled ? "compiler" : ptcvm::errc_name(compiled.error().code)) << '\n';

  ptcvm::RestoreOptions options;
  options.tools = order_tools();
  auto run = ptcvm::Run::restore(engine, std::as_bytes(std::span(bytes)), options);
  if (!run) return std::cerr << run.error().message << '\n', 1;
  const std::map<std::string, std::string> answer{{"decision", argv[3]}};
  if (const auto done = run->resolve(argv[2], ptcvm::Value::of(answer)); !done) {
    return std::cerr << done.error().message << '\n', 1;
  }
  std::cout << ptcvm::run_state_name(run->step()) << '\n' << run->result().to_edn() << '\n';
}
