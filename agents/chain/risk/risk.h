// Says how dangerous a call is, from its tool and its arguments. The rules are data: folders and lists of the host. A
// call is judged before it is made, and nothing is looked up in the file system: links are not followed.
#pragma once
#include <boost/json/object.hpp>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ptcvm::chain {

struct SafetyRules {
  // Folders: "~" is the home folder. A folder contains itself and everything below.
  std::vector<std::string> user_data_dirs = {"~/Desktop", "~/Documents", "~/Downloads"};
  std::vector<std::string> system_dirs, allow_paths, deny_paths;
  std::vector<std::string> external_tools;   // tools that others run: always dangerous
  // Calls of these tools are dangerous after a check of the task has failed, unless they only read. A name may end
  // with "*".
  std::vector<std::string> guarded_tools = {"shell_execute", "fs_*", "git_*"};
  std::vector<std::string> reading_tools = {"fs_read*", "fs_list*",  "fs_stat*", "fs_exists*", "fs_find*", "fs_search*",
                                            "fs_get*",  "fs_glob*",  "fs_info*", "fs_tree*",   "fs_grep*", "fs_hash*",
                                            "git_status", "git_log", "git_diff", "git_show"};
  std::string home = "~";                    // what "~" stands for
  std::string working_folder;                // what relative paths begin at; empty: nobody knows
};

struct RiskAssessment {
  bool is_high = false;
  std::string signature;   // what an approval is about; empty when the risk is low
  // An approval covers this call with these arguments only. false: every call with the signature, such as each write
  // of one file.
  bool covers_one_call = false;
};

// Says whether a check of the task has failed so far: then guarded tools are dangerous.
enum class Trust : std::uint8_t { Usual, CheckFailed };

// Judges a call. A path in deny_paths is dangerous; one in allow_paths is not; one in the data or system folders is.
// Tools for files are those whose names begin with "fs_"; what they delete or move counts with the folders below it.
// Every target of a command counts: arguments of what deletes, moves and renames, files behind redirections, and each
// path in denied, data or system folders, unless the command is known to read only. A command is read as text, so this
// is no fence: an author of commands can hide what they do.
RiskAssessment assess_risk(std::string_view tool, const boost::json::object& args, const SafetyRules& rules,
                           Trust trust = Trust::Usual);

// Returns the paths that a call of a tool for files writes: what it deletes, and where it moves from, is no such path.
std::vector<std::string> written_paths(std::string_view tool, const boost::json::object& args);

}  // namespace ptcvm::chain
