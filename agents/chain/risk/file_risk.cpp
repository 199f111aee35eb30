#include "agents/chain/risk/file_risk.h"

#include <algorithm>
#include <array>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>
#include <cstdint>
#include <utility>

#include "agents/chain/risk/path_rules.h"
#include "agents/chain/text/ascii_text.h"

namespace ptcvm::chain {

namespace {

namespace json = boost::json;

constexpr std::size_t kShownBytes = 80;   // as much is shown of a target that is no text

// What a tool does with the files that its arguments name.
enum class FileAct : std::uint8_t { Writes, Copies, Packs, Moves, Deletes, Unknown };

struct FileVerb {
  std::string_view begin;   // the name behind "fs_" begins so
  FileAct act;
};
constexpr auto kVerbs = std::to_array<FileVerb>(
    {{"write", FileAct::Writes}, {"append", FileAct::Writes}, {"edit", FileAct::Writes}, {"create", FileAct::Writes},
     {"mkdir", FileAct::Writes}, {"touch", FileAct::Writes}, {"patch", FileAct::Writes}, {"replace", FileAct::Writes},
     {"copy", FileAct::Copies}, {"archive", FileAct::Packs}, {"unarchive", FileAct::Packs}, {"move", FileAct::Moves},
     {"rename", FileAct::Moves}, {"delete", FileAct::Deletes}, {"remove", FileAct::Deletes},
     {"unlink", FileAct::Deletes}, {"rm", FileAct::Deletes}});

// A tool that nobody knows may remove what its arguments name.
std::optional<FileAct> act_of(std::string_view tool, const SafetyRules& rules) {
  if (!tool.starts_with("fs_") || is_named(tool, rules.reading_tools)) return std::nullopt;
  const std::string_view name = tool.substr(3);
  const auto verb = std::ranges::find_if(kVerbs, [name](const FileVerb& one) { return name.starts_with(one.begin); });
  return verb == kVerbs.end() ? FileAct::Unknown : verb->act;
}

// What a signature begins with: an approval of a write does not allow a delete.
std::string_view signature_begin(FileAct act) {
  switch (act) {
    case FileAct::Writes:
    case FileAct::Copies:
    case FileAct::Packs: return "fs_write";
    case FileAct::Moves: return "fs_move";
    case FileAct::Deletes: return "fs_delete";
    case FileAct::Unknown: break;
  }
  return "fs_change";
}

// Members of arguments that name files, without "_" and "-" and in lower case.
constexpr auto kTargets = std::to_array<std::string_view>(
    {"to", "path", "paths", "destination", "destinationpath", "dest", "destpath", "dst", "topath", "newpath", "target",
     "targetpath", "file", "files", "filepath", "filename", "dir", "directory", "folder", "uri", "outputpath",
     "outputdir", "outputfile", "output"});
constexpr auto kSources = std::to_array<std::string_view>(
    {"from", "frompath", "source", "sourcepath", "src", "srcpath", "oldpath"});
constexpr auto kOutputs = std::to_array<std::string_view>(
    {"outputpath", "outputdir", "outputfile", "output", "to", "destination", "destinationpath", "dest", "dst"});

std::string plain_name(std::string_view name) {
  std::string plain = lowercase(name);
  std::erase_if(plain, [](char c) { return c == '_' || c == '-'; });
  return plain;
}

template <std::size_t n>
bool has_name(std::string_view name, const std::array<std::string_view, n>& names) {
  return std::ranges::find(names, name) != names.end();
}

bool is_target(FileAct act, std::string_view member) {
  const std::string name = plain_name(member);
  if (act == FileAct::Packs) return has_name(name, kOutputs);
  return has_name(name, kTargets) || (act != FileAct::Copies && has_name(name, kSources));
}

std::string_view without_scheme(std::string_view path) {
  return path.starts_with("file://") ? path.substr(7) : path;
}

class FileRisk {
 public:
  FileRisk(FileAct act, const SafetyRules& rules) : act_(act), paths_(rules) {}

  RiskAssessment of(const json::object& args) const {
    bool has_target = false;
    for (const auto& [name, value] : args) {
      if (!is_target(act_, name)) continue;
      has_target = true;
      if (!value.is_string()) return high("_unknown:" + json::serialize(value).substr(0, kShownBytes));
      if (auto risk = of_path(std::string_view(value.get_string()))) return *risk;
    }
    return has_target ? RiskAssessment() : of_unnamed(args);
  }

 private:
  std::optional<RiskAssessment> of_path(std::string_view said) const {
    const std::string_view path = without_scheme(said);
    const std::string full = paths_.absolute(path);
    if (paths_.is_relative(path) && goes_up(path)) return high("_rel:" + full);
    const PathClass kind = paths_.class_of(full);
    const bool removes = act_ == FileAct::Moves || act_ == FileAct::Deletes || act_ == FileAct::Unknown;
    if (kind == PathClass::Denied || (removes && paths_.holds_denied(full))) return high("_deny:" + full);
    const bool holds = removes && kind != PathClass::Allowed && paths_.holds_guarded(full);
    if (kind == PathClass::Protected || holds) return high(":" + full);
    return std::nullopt;
  }

  // Any write of one file is the same to people; what else a call does depends on all of its arguments.
  RiskAssessment high(const std::string& rest) const {
    return {true, std::string(signature_begin(act_)) + rest, act_ != FileAct::Writes};
  }

  // Arguments with names that nobody knows: each text that is written like a path counts.
  RiskAssessment of_unnamed(const json::object& args) const {
    for (const auto& member : args) {
      const json::value& value = member.value();
      if (!value.is_string()) continue;
      const std::string_view text = value.get_string();
      if (paths_.is_relative(without_scheme(text))) continue;
      if (auto risk = of_path(text)) return *risk;
    }
    return {};
  }

  FileAct act_;
  PathRules paths_;
};

}  // namespace

bool is_named(std::string_view tool, const std::vector<std::string>& names) {
  return std::ranges::any_of(names, [tool](std::string_view name) {
    return name.ends_with('*') ? tool.starts_with(name.substr(0, name.size() - 1)) : tool == name;
  });
}

std::optional<RiskAssessment> file_risk(std::string_view tool, const json::object& args, const SafetyRules& rules) {
  const auto act = act_of(tool, rules);
  if (!act) return std::nullopt;
  return FileRisk(*act, rules).of(args);
}

std::vector<std::string> written_paths(std::string_view tool, const json::object& args) {
  const auto act = act_of(tool, {});
  if (!act || *act == FileAct::Deletes || *act == FileAct::Unknown) return {};
  // A copy names its source "path" when it names its target "to".
  for (const std::string_view name : {"outputPath", "outputDir", "to", "destination", "path"}) {
    const json::value* const target = is_target(*act, name) ? args.if_contains(name) : nullptr;
    if (target != nullptr && target->is_string()) return {std::string(target->get_string())};
  }
  return {};
}

}  // namespace ptcvm::chain
