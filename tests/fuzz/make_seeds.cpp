// ptc_fuzz_seeds: writes the seeds and dictionaries of all fuzz targets.
//
//   ptc_fuzz_seeds PROJECT OUT [EVERY]
//
// They come from what the project holds anyway: its tables, test programs, kept snapshots, generated programs. The same
// sources give the same files. EVERY: about one in that many, for a look.
#include <cstdio>
#include <cstdlib>
#include <filesystem>

#include "fuzz/seed_folder.h"
#include "fuzz/seed_sources.h"

int main(int count, char** texts) {
  const std::uint64_t every = count == 4 ? std::strtoull(texts[3], nullptr, 10) : 1;
  if (count < 3 || count > 4 || every == 0) {
    std::fputs("usage: ptc_fuzz_seeds PROJECT OUT [EVERY]\n", stderr);
    return 2;
  }
  const std::filesystem::path project = texts[1], out = texts[2];
  std::filesystem::remove_all(out / "seeds");
  ptc::fuzz::SeedFolder seeds(out, every);
  add_program_seeds(seeds, project / "tests");
  add_snapshot_seeds(seeds, project / "tests" / "snapshots");
  add_data_seeds(seeds);
  add_reply_seeds(seeds);
  add_agent_seeds(seeds, project / "tests" / "agents" / "documents");
  add_conversation_seeds(seeds);
  add_store_seeds(seeds);
  add_call_seeds(seeds);
  add_words(seeds);
  seeds.write_dictionaries();
  std::printf("%zu seeds\n", seeds.count());
  return seeds.count() == 0 ? 1 : 0;
}
