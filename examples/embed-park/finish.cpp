// embed_park_finish FILE OPERATION ANSWER: goes on from the file, with the answer (EDN) to what the program waits for.
#include "approval.h"

#include <fstream>
#include <iterator>

int main(int argc, char** argv) {
  if (argc != 4) return complain("usage: embed_park_finish FILE OPERATION ANSWER");
  // [finish]
  std::ifstream file(argv[1], std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(file), {}};
  const ptcvm::Engine engine;
  ptcvm::RestoreOptions options;
  options.tools = approval_tools();
  auto run = ptcvm::Run::restore(engine, std::as_bytes(std::span(bytes)), options);
  if (!run) return complain(run.error().message);   // damaged, or the tools are other ones: nothing was executed

  const auto answer = ptcvm::Value::from_edn(argv[3]);
  if (!answer) return complain(answer.error().message);
  if (const auto told = run->resolve(argv[2], *answer); !told) return complain(told.error().message);
  const ptcvm::RunState state = run->step();
  // [/finish]
  if (const auto fault = run->diagnostic()) return complain(fault->text);
  std::printf("%s: %s\n", ptcvm::run_state_name(state), run->result().to_edn().c_str());
}
