// The same with a store: keep FILE.db puts a run into it and looks what it waits for.
#include <iostream>

#include <ptcvm/ptcvm.hpp>
#include <ptcvm/sqlite.hpp>

#include "tools.hpp"

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  auto store = ptcvm::open_sqlite(argv[1]);
  if (!store) return std::cerr << store.error().message << '\n', 1;
  const char* const source = "(:decision (await (tool/approve {:amount 1 :why \"try\"})))";
  ptcvm::StoredOptions options;
  options.id = "order-17";
  const ptcvm::Engine engine;
  auto outcome = ptcvm::run_stored(engine, *store, order_tools(), source, options);
  if (!outcome) return std::cerr << outcome.error().message << '\n', 1;
  for (const ptcvm::StoredWait& waits : outcome->pending) std::cout << "waits for " << waits.tool << '\n';
  std::cout << ptcvm::version() << '\n';
}
