// What becomes of programs that a model really wrote: ptc_model_programs FILE.jsonl
//
// Each line is {"session", "turn", "program"}. A program is read as it is, or after surplus closing brackets were
// dropped, as the loop of agents does; and it is compiled with the names that earlier programs of its session defined.
// Functions of a namespace that belonged to the host are taken for names, too. Prints each program that cannot be used,
// with the reason, and a table. The exit status is 1 when a program that the model was told is right cannot be used.
#include <boost/json.hpp>
#include <cctype>
#include <fstream>
#include <iostream>
#include <map>
#include <set>
#include <string>

#include "agents/loop/program_text.h"
#include "ptcvm/engine.hpp"

namespace {

namespace json = boost::json;

constexpr std::string_view kHostNamespace = "incident.evidence/";
constexpr std::string_view kHostNames[] = {"get-record", "list-sources", "resolve-citations", "search"};

struct Sums {
  int all = 0, as_written = 0, repaired = 0, unread = 0, compiled = 0, uncompiled = 0, refused_though_right = 0;
};

bool is_space(char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; }
bool is_name_end(char c) { return is_space(c) || std::string_view("()[]{}\"").find(c) != std::string_view::npos; }

// Returns the names that follow `(def ` and `(defn `.
std::set<std::string> defined_names(const std::string& program) {
  std::set<std::string> names;
  for (std::size_t at = 0; (at = program.find("(def", at)) != std::string::npos;) {
    at += 4;
    if (at < program.size() && program[at] == 'n') ++at;
    if (at >= program.size() || !is_name_end(program[at])) continue;
    while (at < program.size() && is_space(program[at])) ++at;
    const std::size_t begin = at;
    while (at < program.size() && !is_name_end(program[at])) ++at;
    names.insert(program.substr(begin, at - begin));
  }
  return names;
}

// Writes functions of the host as names without a namespace.
std::string without_namespace(std::string program) {
  for (std::size_t at = 0; (at = program.find(kHostNamespace, at)) != std::string::npos;) {
    program.replace(at, kHostNamespace.size(), "host-");
  }
  return program;
}

void print_row(const std::string& what, int count) { std::cout << "| " << what << " | " << count << " |\n"; }

class Reader {
 public:
  void take(const json::object& line) {
    const std::string session(line.at("session").as_string()), program(line.at("program").as_string());
    if (session != session_) names_.clear();
    session_ = session;
    place_ = session + " turn " + json::serialize(line.at("turn"));
    was_right_ = line.contains("upstream") && line.at("upstream") == "ok";
    ++sums_.all;
    const ptcvm::loop::ProgramText text = ptcvm::loop::read_program_text(program);
    const auto fault = fault_of(text.text);
    if (fault && fault->kind == "parse_error") {
      ++sums_.unread;
      report("not read", *fault);
    } else {
      ++(text.dropped_brackets == 0 ? sums_.as_written : sums_.repaired);
      if (fault) report("not compiled", *fault);
      ++(fault ? sums_.uncompiled : sums_.compiled);
    }
    names_.merge(defined_names(text.text));
  }

  int finish() const {
    std::cout << "\n| programs | " << sums_.all << " |\n| --- | --- |\n";
    print_row("read as written", sums_.as_written);
    print_row("read without surplus closing brackets", sums_.repaired);
    print_row("not read", sums_.unread);
    print_row("compiled with the names of their session", sums_.compiled);
    print_row("read, and not compiled", sums_.uncompiled);
    for (const auto& [reason, count] : reasons_) print_row(reason, count);
    return sums_.all == 0 || sums_.refused_though_right != 0 ? 1 : 0;
  }

 private:
  // Returns why the program cannot be compiled.
  std::optional<ptcvm::Diagnostic> fault_of(const std::string& program) const {
    std::vector<std::string> known;
    for (const std::string_view name : kHostNames) known.push_back("host-" + std::string(name));
    known.insert(known.end(), names_.begin(), names_.end());
    const std::vector<std::string_view> views(known.begin(), known.end());
    ptcvm::CompileOptions options;
    options.defined = views;
    options.check_tools = false;
    const auto compiled = engine_.compile(without_namespace(program), options);
    if (compiled) return std::nullopt;
    return compiled.error().diagnostic.value_or(ptcvm::Diagnostic());
  }

  void report(const char* what, const ptcvm::Diagnostic& fault) {
    std::cout << place_ << ": " << what << ": " << fault.kind << ": " << fault.message << '\n';
    ++reasons_[std::string(what) + ": " + fault.kind + ": " + fault.message.substr(0, fault.message.find(". "))];
    if (was_right_) ++sums_.refused_though_right;
  }

  const ptcvm::Engine engine_;
  Sums sums_;
  std::string session_, place_;
  std::set<std::string> names_;   // what earlier programs of the session defined
  std::map<std::string, int> reasons_;
  bool was_right_ = false;
};

}  // namespace

int main(int argc, char** argv) {
  std::ifstream file(argc == 2 ? argv[1] : "");
  if (!file) {
    std::cerr << "usage: ptc_model_programs FILE.jsonl\n";
    return 2;
  }
  Reader reader;
  for (std::string line; std::getline(file, line);) {
    if (!line.empty()) reader.take(json::parse(line).as_object());
  }
  return reader.finish();
}
