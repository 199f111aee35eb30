// docs/embedding/engine-and-programs.md
#include "shown.h"

int main() {
  // [engine]
  ptcvm::EngineOptions options;
  options.cached_programs = 100;
  const ptcvm::Engine engine(options);       // the copy below is the same engine
  const ptcvm::Engine same = engine;

  const auto program = engine.compile("(* 6 data/n)", {.name = "answer.ptc"});
  const auto cached = same.compile("(* 6 data/n)", {.name = "answer.ptc"});
  // [/engine]
  show("compiled", std::to_string(engine.statistics().compiled));
  show("cache hits", std::to_string(engine.statistics().cache_hits));
  show("same program", program->sha256() == cached->sha256() ? "yes" : "no");

  // [diagnostic]
  const auto wrong = engine.compile("(let [total 1]\n  (+ totl 1))", {.name = "sum.ptc"});
  if (!wrong) {
    const ptcvm::Diagnostic what = wrong.error().diagnostic.value();
    std::printf("%s in %s, line %u, column %u\n", what.kind.c_str(), what.source_name.c_str(), what.line, what.column);
    std::fputs(what.text.c_str(), stdout);
  }
  // [/diagnostic]

  // [tools]
  ptcvm::Tools tools;
  tools.defer("price", "(item :string) -> :int").value();
  const auto unknown = engine.compile("(tool/prize {:item 1})", {.tools = &tools});
  show("unknown tool", unknown.error().message);
  const auto known = engine.compile("(tool/price {:item 1})", {.tools = &tools});
  show("calls", known->tool_names().front());
  // [/tools]

  // [bytes]
  const std::vector<std::byte> bytes = program->bytecode();   // to a file, to another machine
  const auto loaded = ptcvm::Engine().load(bytes);            // verified, wherever it comes from
  if (!loaded) return 1;
  show("loaded", loaded->source());
  // [/bytes]
}
