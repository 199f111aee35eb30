#include <cstdio>

#include <ptcvm/ptcvm.hpp>

int main() {
  const ptcvm::Engine engine;
  const auto program = engine.compile("(* 6 7)");
  if (!program) return 1;
  auto run = ptcvm::Run::start(engine, *program);
  if (!run || run->step() != ptcvm::RunState::Completed) return 1;
  std::puts(run->result().to_edn().c_str());
}
