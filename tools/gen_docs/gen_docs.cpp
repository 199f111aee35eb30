// Writes the reference pages from the tables of schema/.
//
//   gen_docs FOLDER            writes builtins.md, forms.md, faults.md and opcodes.md there
//   gen_docs --check FOLDER    writes nothing; fails when a page is not what it would write
#include <algorithm>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include "schema/builtin_id.h"
#include "schema/fault_kind.h"
#include "schema/opcode.h"
#include "schema/special_form.h"
#include "tools/gen_docs/made_files.h"

namespace {

using ptc::BuiltinCategory;
using ptc::BuiltinInfo;
using ptc::FormCategory;
using ptc::SpecialFormInfo;

constexpr std::string_view kMadeFrom = "<!-- Made by tools/gen_docs from the tables in schema/. Do not edit. -->\n\n";

std::string cell(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '|') out += '\\';
    out += c == '\n' ? ' ' : c;
  }
  return out;
}

// Text in backquotes, also when it holds backquotes.
std::string code(std::string_view text) {
  if (text.empty()) return {};
  const std::string_view fence = text.find('`') == std::string_view::npos ? "`" : "``";
  const std::string_view pad = fence.size() == 1 ? "" : " ";
  return std::string(fence).append(pad).append(cell(text)).append(pad).append(fence);
}

void add_row(std::string& out, const std::vector<std::string>& cells) {
  out += '|';
  for (const std::string& text : cells) out += ' ' + text + " |";
  out += '\n';
}

void add_head(std::string& out, const std::vector<std::string>& titles) {
  add_row(out, titles);
  add_row(out, std::vector<std::string>(titles.size(), "---"));
}

std::string argument_counts(const BuiltinInfo& info) {
  const std::string least = std::to_string(info.min_args);
  if (info.max_args == ptc::kVariadic) return least + " or more";
  return info.min_args == info.max_args ? least : least + " to " + std::to_string(info.max_args);
}

struct BuiltinGroup {
  BuiltinCategory category;
  std::string_view title, note;
};
constexpr BuiltinGroup kBuiltinGroups[] = {
    {BuiltinCategory::Core, "Core", "Also under `clojure.core/` and `core/`."},
    {BuiltinCategory::String, "Text", "Also under `clojure.string/`, `string/` and `str/`."},
    {BuiltinCategory::Set, "Sets", "Also under `clojure.set/` and `set/`."},
    {BuiltinCategory::Regex, "Regular expressions", "Also under `regex/`."},
    {BuiltinCategory::Walk, "Walking", "Also under `clojure.walk/` and `walk/`."},
    {BuiltinCategory::Json, "JSON", "Under `json/` only."},
    {BuiltinCategory::Interop, "Interop", "Under their full names only."},
};

std::string builtins_page() {
  std::string out = "# Builtin functions\n\n";
  out += kMadeFrom;
  for (const BuiltinGroup& group : kBuiltinGroups) {
    std::vector<const BuiltinInfo*> rows;
    for (const BuiltinInfo& info : ptc::kBuiltins) {
      if (info.category == group.category) rows.push_back(&info);
    }
    std::sort(rows.begin(), rows.end(), [](const auto* a, const auto* b) { return a->name < b->name; });
    out.append("## ").append(group.title).append("\n\n").append(group.note).append("\n\n");
    add_head(out, {"Name", "Arguments", "Usage", "What it does"});
    for (const BuiltinInfo* info : rows) {
      add_row(out, {code(info->name), argument_counts(*info), code(info->usage), cell(info->doc)});
    }
    out += '\n';
  }
  return out;
}

struct FormGroup {
  FormCategory category;
  std::string_view title;
};
constexpr FormGroup kFormGroups[] = {{FormCategory::Special, "Special forms"},
                                     {FormCategory::Macro, "Macros"},
                                     {FormCategory::Namespace, "Namespaces"},
                                     {FormCategory::Syntax, "Syntax"},
                                     {FormCategory::Absent, "Not in the language"}};

std::string forms_page() {
  std::string out = "# Forms and syntax\n\n";
  out += kMadeFrom;
  for (const FormGroup& group : kFormGroups) {
    out.append("## ").append(group.title).append("\n\n");
    add_head(out, {"Name", "Usage", "What it does"});
    for (const SpecialFormInfo& info : ptc::kSpecialForms) {
      if (info.category == group.category) add_row(out, {code(info.name), code(info.usage), cell(info.doc)});
    }
    out += '\n';
  }
  return out;
}

std::string_view phase_text(ptc::FaultPhase phase) {
  switch (phase) {
    case ptc::FaultPhase::Read: return "reading";
    case ptc::FaultPhase::Static: return "static check, before any effect";
    case ptc::FaultPhase::Run: return "running";
    case ptc::FaultPhase::Limit: return "limit";
    case ptc::FaultPhase::Host: return "host";
  }
  return "";
}

std::string faults_page() {
  std::string out = "# Kinds of fault\n\n";
  out += kMadeFrom;
  add_head(out, {"Kind", "Phase", "When it is raised"});
  for (const ptc::FaultInfo& info : ptc::kFaults) {
    add_row(out, {code(info.name), std::string(phase_text(info.phase)), cell(info.when)});
  }
  return out;
}

std::string_view operand_text(ptc::Operand operand) {
  switch (operand) {
    case ptc::Operand::None: return "-";
#define NAME(operand_kind) \
  case ptc::Operand::operand_kind: return #operand_kind
      NAME(Dst);
      NAME(Src);
      NAME(Mod);
      NAME(Win);
      NAME(Imm);
      NAME(Cnt);
      NAME(Const);
      NAME(Global);
      NAME(Builtin);
      NAME(Tool);
      NAME(Func);
      NAME(Up);
      NAME(Jump);
#undef NAME
  }
  return "";
}

std::string_view control_text(ptc::Control control) {
  switch (control) {
    case ptc::Control::Next: return "goes on";
    case ptc::Control::Jump: return "jumps";
    case ptc::Control::Branch: return "jumps or goes on";
    case ptc::Control::Call: return "calls; safe point";
    case ptc::Control::Loop: return "jumps back; safe point";
    case ptc::Control::LoopIf: return "jumps back or goes on; safe point";
    case ptc::Control::End: return "ends the frame";
  }
  return "";
}

std::string_view memory_text(ptc::MemoryCheck check) {
  switch (check) {
    case ptc::MemoryCheck::None: return "";
    case ptc::MemoryCheck::Before: return "before";
    case ptc::MemoryCheck::After: return "after";
  }
  return "";
}

// The words of the columns that the verifier reads, as they are written in the table.
struct OpWords {
  std::string_view ownership, window, result, constant, check;
};
constexpr OpWords kOpWords[] = {
#define OP(name, operands, control, ownership, window, result, constant, check, memory, meaning) \
  {#ownership, #window, #result, #constant, #check},
#include "schema/opcodes.def"
#undef OP
};

std::string opcodes_page() {
  std::string out = "# Instructions\n\n";
  out += kMadeFrom;
  out += "An instruction is 64 bits: opcode, flags, and three operands of 16 bits. `schema/opcodes.def` explains the\n"
         "kinds of operand and the words of the columns. Ownership, Window, Result, Constant and Check are what the\n"
         "verifier goes by. The column Memory says when an instruction holds the run against its memory limit.\n\n";
  add_head(out, {"Number", "Name", "a", "b", "c", "Control", "Ownership", "Window", "Result", "Constant", "Check",
                 "Memory", "Meaning"});
  for (std::size_t i = 0; i < ptc::kOpCount; ++i) {
    const ptc::OpInfo& info = ptc::kOps[i];
    std::vector<std::string> row = {std::to_string(i), code(info.name)};
    for (const ptc::Operand operand : info.operands) row.emplace_back(operand_text(operand));
    row.emplace_back(control_text(info.control));
    const OpWords& words = kOpWords[i];
    for (const std::string_view word : {words.ownership, words.window, words.result, words.constant, words.check}) {
      row.emplace_back(word == "None" ? "" : word);
    }
    row.emplace_back(memory_text(info.memory));
    row.push_back(cell(info.meaning));
    add_row(out, row);
  }
  return out;
}

struct Page {
  std::string_view file;
  std::string (*text)();
};
constexpr Page kPages[] = {
    {"builtins.md", builtins_page}, {"forms.md", forms_page}, {"faults.md", faults_page}, {"opcodes.md", opcodes_page}};

}  // namespace

int main(int count, char** texts) {
  const bool check = count == 3 && std::string_view(texts[1]) == "--check";
  if (count != 2 && !check) {
    std::fputs("usage: gen_docs [--check] FOLDER\n", stderr);
    return 2;
  }
  const std::string folder = texts[count - 1];
  ptc::MadeFiles files(folder, check, "run gen_docs " + folder);
  for (const Page& page : kPages) files.make(page.file, page.text());
  return files.good() ? 0 : 1;
}
