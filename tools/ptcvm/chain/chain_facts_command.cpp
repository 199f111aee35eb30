// ptcvm chain facts: what later tasks are to know.
#include <algorithm>
#include <iostream>
#include <memory>

#include "tools/ptcvm/chain/chain_memory.h"
#include "tools/ptcvm/chain/chain_stored_commands.h"
#include "tools/ptcvm/commands.h"
#include "tools/ptcvm/text/text_table.h"

namespace ptcvm::cli {
namespace {

struct FactArguments {
  StoreOptions store;
  std::string text, key, search, forget;
};

int tell(const Store& store, const FactArguments& arguments, const std::string& by) {
  const auto facts = told_facts(store, arguments.store);
  if (!facts) return complain_of_store(facts.error());
  const std::string& key = arguments.forget.empty() ? arguments.key : arguments.forget;
  const bool is_known = std::any_of(facts->begin(), facts->end(), [&](const auto& fact) { return fact.key == key; });
  if (!arguments.forget.empty() && !is_known) return refuse_input("nobody told a fact " + key);
  std::string name = key;
  for (std::size_t number = facts->size() + 1; name.empty(); ++number) {
    const std::string free = "fact-" + std::to_string(number);
    const auto is_free = [&](const auto& fact) { return fact.key != free; };
    if (std::all_of(facts->begin(), facts->end(), is_free)) name = free;
  }
  const auto told = tell_fact(store, arguments.store, name, arguments.text, by);
  return told ? kSuccess : complain_of_store(told.error());
}

int facts_of_store(const FactArguments& arguments) {
  StoreCommand command(arguments.store);
  int status = kSuccess;
  const bool is_told = !arguments.text.empty() || !arguments.forget.empty();
  if (!command.open(arguments.text.empty() ? StoreUse::Existing : StoreUse::Create, status)) return status;
  if (is_told) {
    if (const int told = tell(command.store(), arguments, command.by()); told != kSuccess) return told;
  }
  auto archive = open_archive(command.store(), arguments.store);
  if (!archive) return complain_of_store(archive.error());
  if (is_told) return kSuccess;
  constexpr std::size_t kMostFound = 20;
  const auto facts = arguments.search.empty() ? (*archive)->facts()
                                              : (*archive)->find_facts(arguments.search, kMostFound);
  if (!facts) return complain_of_store(facts.error());
  std::vector<std::vector<std::string>> rows{{"KEY", "FACT"}};
  for (const chain::MemoryFact& fact : *facts) rows.push_back({fact.key, fact.content});
  std::cout << text_table(rows);
  return kSuccess;
}

}  // namespace

void add_chain_facts(CLI::App& chain, int& status) {
  auto* const command = chain.add_subcommand("facts", "Tell what later tasks are to know, or list it");
  auto arguments = std::make_shared<FactArguments>();
  declare_sealed_store(*command, arguments->store);
  declare_author(*command, arguments->store);
  command->add_option("TEXT", arguments->text, "A fact, for example: The user prefers pnpm");
  command->add_option("--key", arguments->key, "The name of the fact; a fact of that name is replaced");
  command->add_option("--search", arguments->search, "Only facts with a word of this text, the best match first")
      ->type_name("TEXT");
  command->add_option("--forget", arguments->forget, "The name of a fact that is forgotten")->type_name("KEY");
  command->callback([arguments, &status] { status = facts_of_store(*arguments); });
}

}  // namespace ptcvm::cli
