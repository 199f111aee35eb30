// Command lines from the table of options, and sequences of calls, which are random: every byte is a choice.
#include <string>

#include "fuzz/command_line_trial.h"
#include "fuzz/seed_sources.h"
#include "tools/ptcvm/command_line/option_table.h"

namespace ptc::fuzz {

void add_call_seeds(SeedFolder& seeds) {
  constexpr std::uint64_t kCommandLines = 600, kSequences = 100;
  for (std::uint64_t i = 0; i < kCommandLines; ++i) {
    test::Random random(i);
    CommandLineInput input{command_words(random), "(+ 1 2)\n", "{\"a\": 1}", "(def a 1)"};
    seeds.add("command_line", input.text());
  }
  for (const ptcvm::cli::OptionRow& row : ptcvm::cli::option_rows()) {
    seeds.word("command_line", std::string(row.name) + '\n');
    if (!row.example.empty()) seeds.word("command_line", row.example);
  }
  for (std::uint64_t i = 0; i < kSequences; ++i) {
    test::Random random(i);
    std::string bytes;
    for (std::uint64_t size = 50 + random.below(200); size > 0; --size) {
      bytes += static_cast<char>(random.below(256));
    }
    seeds.add("c_api", bytes);
    seeds.add("cpp_api", bytes);
  }
}

}  // namespace ptc::fuzz
