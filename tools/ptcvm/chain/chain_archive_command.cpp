// ptcvm chain export and import: what stays of tasks, as lines of JSON.
#include <algorithm>
#include <boost/json.hpp>
#include <iostream>
#include <memory>
#include <sstream>
#include <string_view>

#include "agents/chain/memory/task_record_json.h"
#include "ptcvm/json.hpp"
#include "tools/ptcvm/chain/chain_memory.h"
#include "tools/ptcvm/chain/chain_stored_commands.h"
#include "tools/ptcvm/commands.h"
#include "tools/ptcvm/process/bounded_file.h"
#include "tools/ptcvm/process/files.h"
#include "tools/ptcvm/process/terminal.h"
#include "tools/ptcvm/text/json_problem.h"

namespace ptcvm::cli {
namespace {

namespace json = boost::json;

struct ArchiveArguments {
  StoreOptions store;
  std::string file;
};

json::object fact_json(const chain::MemoryFact& fact) {
  return {{"kind", "fact"},
          {"version", 1},
          {"key", fact.key},
          {"content", fact.content},
          {"createdAt", fact.created_ms}};
}

int export_archive(const ArchiveArguments& arguments) {
  StoreCommand command(arguments.store);
  int status = kSuccess;
  if (!command.open(StoreUse::Existing, status)) return status;
  const auto records = all_records(command.store(), arguments.store);
  if (!records) return complain_of_store(records.error());
  const auto facts = told_facts(command.store(), arguments.store);
  if (!facts) return complain_of_store(facts.error());
  std::string lines;
  for (const chain::TaskRecord& record : *records) lines += json::serialize(chain::record_json(record)) + "\n";
  for (const chain::MemoryFact& fact : *facts) lines += json::serialize(fact_json(fact)) + "\n";
  if (arguments.file.empty()) {
    std::cout << lines;
    return kSuccess;
  }
  std::string message;
  return write_file(arguments.file, lines, message) ? kSuccess : refuse_input(message);
}

constexpr std::string_view kFactMembers[] = {"kind", "version", "key", "content", "createdAt"};

// What one line asks for: a record, or a fact.
struct Line {
  std::optional<chain::TaskRecord> record;
  chain::MemoryFact fact;
};

// Returns why a line cannot be read, or "".
std::string read_line(const std::string& text, Line& line) {
  boost::system::error_code error;
  const json::value document = json::parse(text, error);
  if (error) return "RECORD_INVALID: it is no JSON: " + json_line_problem(text, error.message());
  if (!document.is_object()) return "RECORD_INVALID: it is no JSON object";
  const json::object& object = document.get_object();
  if (const std::string doubled = doubled_member(text); !doubled.empty()) {
    return "RECORD_INVALID: the member " + doubled + " is written twice";
  }
  const auto text_at = [&](std::string_view name) {
    const json::value* const found = object.if_contains(name);
    return found != nullptr && found->is_string() ? std::string(found->get_string()) : std::string();
  };
  if (text_at("kind") == "fact") {
    for (const auto& member : object) {
      if (std::ranges::find(kFactMembers, std::string_view(member.key())) != std::end(kFactMembers)) continue;
      return "RECORD_INVALID: a fact has no member \"" + std::string(member.key()) +
             "\"; the members are kind, version, key, content, createdAt";
    }
    const json::value* const version = object.if_contains("version");
    if (version != nullptr && *version != json::value(1)) return "RECORD_INVALID: the \"version\" of a fact is 1";
    const json::value* const time = object.if_contains("createdAt");
    if (time != nullptr && !time->is_int64()) return "RECORD_INVALID: \"createdAt\" of a fact must be a whole number";
    line.fact = {text_at("key"), text_at("content"), time != nullptr ? time->get_int64() : 0};
    return line.fact.key.empty() || line.fact.content.empty() ? "RECORD_INVALID: a fact has a key and a content" : "";
  }
  auto record = chain::read_record(document);
  if (const auto* const fault = std::get_if<chain::DocumentFault>(&record)) return fault->name + ": " + fault->message;
  line.record = std::move(std::get<chain::TaskRecord>(record));
  return {};
}

// Reads the whole file before anything is written.
int import_archive(const ArchiveArguments& arguments) {
  std::string message;
  const auto text = read_file(arguments.file, message, {FileBound().most_bytes, "a file of chain export"});
  if (!text) return refuse_input(message);
  std::vector<Line> lines;
  std::istringstream in(*text);
  std::size_t number = 0;
  for (std::string line; std::getline(in, line);) {
    ++number;
    if (line.find_first_not_of(" \t\r") == std::string::npos) continue;
    const std::string fault = read_line(line, lines.emplace_back());
    if (!fault.empty()) return refuse_input(arguments.file + ":" + std::to_string(number) + ": " + fault);
  }
  StoreCommand command(arguments.store);
  int status = kSuccess;
  if (!command.open(StoreUse::Create, status)) return status;
  const auto known = told_facts(command.store(), arguments.store);
  if (!known) return complain_of_store(known.error());
  std::size_t taken = 0, there = 0;
  for (const Line& line : lines) {
    Result<bool> is_new = true;
    if (line.record) {
      is_new = import_record(command.store(), arguments.store, *line.record);
    } else {
      is_new = std::none_of(known->begin(), known->end(), [&](const auto& one) { return one.key == line.fact.key; });
      if (*is_new) {
        const chain::MemoryFact& fact = line.fact;
        const auto told = tell_fact(command.store(), arguments.store, fact.key, fact.content, command.by(),
                                    fact.created_ms);
        if (!told) is_new = told.error();
      }
    }
    if (!is_new) return complain_of_store(is_new.error());
    ++(*is_new ? taken : there);
  }
  if (const auto archive = open_archive(command.store(), arguments.store); !archive) {
    return complain_of_store(archive.error());
  }
  std::cout << taken << " taken, " << there << " there already\n";
  return kSuccess;
}

}  // namespace

void add_chain_export(CLI::App& chain, int& status) {
  auto* const command = chain.add_subcommand("export", "Write what stays of the tasks of a store, a line of JSON each");
  auto arguments = std::make_shared<ArchiveArguments>();
  declare_sealed_store(*command, arguments->store);
  command->add_option("--out", arguments->file, "The file; without it, standard output")->type_name("FILE");
  command->callback([arguments, &status] { status = export_archive(*arguments); });
}

void add_chain_import(CLI::App& chain, int& status) {
  auto* const command = chain.add_subcommand("import", "Take over what chain export wrote: later tasks find it");
  auto arguments = std::make_shared<ArchiveArguments>();
  declare_sealed_store(*command, arguments->store);
  command->add_option("FILE", arguments->file, "What chain export wrote; - is standard input")->required();
  command->callback([arguments, &status] { status = import_archive(*arguments); });
}

}  // namespace ptcvm::cli
