// embed_park_start FILE AMOUNT: runs until the program waits, and writes it to the file.
#include "approval.h"

#include <fstream>

int main(int argc, char** argv) {
  if (argc != 3) return complain("usage: embed_park_start FILE AMOUNT");
  // [start]
  const ptcvm::Engine engine;
  const auto program = engine.compile(R"(
    (let [small? (< data/amount 100)
          answer (if small? {:approved true :by "rule"} (await (tool/ask_manager {:amount data/amount})))]
      (if (:approved answer)
        {:status :bought :by (:by answer)}
        (fail {:status :refused :by (:by answer)})))
  )");
  if (!program) return complain(program.error().message);
  const auto data = ptcvm::Value::build([&](ptcvm::ValueWriter& out) {
    out.map([&](ptcvm::ValueWriter& map) { map.entry("amount", std::atoll(argv[2])); });
  });
  ptcvm::RunOptions options;
  options.tools = approval_tools();
  options.data = data;
  auto run = ptcvm::Run::start(engine, *program, options);
  if (!run) return complain(run.error().message);
  // [/start]
  // [park]
  if (run->step() == ptcvm::RunState::Suspended) {
    for (const auto& operation : run->pending()) {
      std::printf("%s waits: %s %s\n", operation.id.c_str(), operation.tool.c_str(), operation.args.to_edn().c_str());
    }
    const std::vector<std::byte> bytes = run->snapshot();
    std::ofstream file(argv[1], std::ios::binary);
    file.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
    return file.flush() ? 0 : complain("cannot write the file");
  }
  // [/park]
  std::printf("%s: %s\n", ptcvm::run_state_name(run->state()), run->result().to_edn().c_str());
}
