// A mailbox as a folder (agents/replay/mailbox.h has the rules). Requests are written so that a reader sees all of a
// file or no file. Several processes may use one folder.
#pragma once
#include <cstddef>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <variant>

#include "agents/replay/mailbox.h"

namespace ptcvm::drivers {

class MailboxFolder {
 public:
  // The folder must exist.
  explicit MailboxFolder(std::filesystem::path folder) : folder_(std::move(folder)) {}

  // Writes a request and returns its number. The same request with the same key that is there already, because an
  // earlier process wrote it, is not written again. Returns a sentence when the folder cannot be written.
  std::variant<std::size_t, std::string> post(std::string_view key, const replay::ModelCall& call);
  // Returns the reply, or nullopt while there is none. A reply that cannot be read counts as absent until its file
  // changes; complaint() then says what is wrong with it.
  std::optional<replay::HttpAnswer> look(std::size_t number, const replay::ModelCall& call);
  // Returns what is wrong with a reply that was looked at, once for each content of its file; else nullopt.
  std::optional<std::string> complaint();

 private:
  std::optional<std::size_t> number_of(std::string_view key, const replay::ModelCall& call, std::size_t& last) const;

  std::filesystem::path folder_;
  std::map<std::size_t, std::string> unreadable_;   // replies that cannot be read, by number
  std::set<std::size_t> is_told_;                   // the replies among them that complaint() told of
  std::optional<std::string> complaint_;
};

}  // namespace ptcvm::drivers
