#include "drivers/mailbox/mailbox_folder.h"

#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <utility>

namespace ptcvm::drivers {

namespace fs = std::filesystem;

namespace {

std::optional<std::string> read_file(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return std::nullopt;
  return std::string(std::istreambuf_iterator<char>(file), {});
}

}  // namespace

// Another agent may have a request with this key, in another store or without one.
std::optional<std::size_t> MailboxFolder::number_of(std::string_view key, const replay::ModelCall& call,
                                                    std::size_t& last) const {
  std::error_code error;
  for (fs::directory_iterator entry(folder_, error), end; !error && entry != end; entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    const auto number = replay::mailbox_number(name);
    if (!number || name != replay::mailbox_request_name(*number)) continue;   // replies may be written in advance
    last = std::max(last, *number);
    const auto text = read_file(entry->path());
    if (!text || replay::mailbox_key(*text) != key) continue;
    if (*text == replay::write_mailbox_request(*number, key, call)) return number;
  }
  return std::nullopt;
}

std::variant<std::size_t, std::string> MailboxFolder::post(std::string_view key, const replay::ModelCall& call) {
  std::size_t last = 0;
  if (const auto known = number_of(key, call, last)) return *known;
  const fs::path draft = folder_ / (".draft." + std::to_string(getpid()));
  for (std::size_t number = last + 1;; ++number) {
    std::ofstream file(draft, std::ios::binary | std::ios::trunc);
    file << replay::write_mailbox_request(number, key, call) << std::flush;
    const bool is_written = file.good();
    file.close();
    std::error_code error, ignored;
    // A link fails when the name is there, so two processes never take one number.
    if (is_written) fs::create_hard_link(draft, folder_ / replay::mailbox_request_name(number), error);
    fs::remove(draft, ignored);
    if (is_written && !error) return number;
    if (!is_written || error != std::errc::file_exists) {
      return "a request cannot be written into the mailbox " + folder_.string() +
             (error ? ": " + error.message() : std::string());
    }
  }
}

std::optional<replay::HttpAnswer> MailboxFolder::look(std::size_t number, const replay::ModelCall& call) {
  const auto text = read_file(folder_ / replay::mailbox_reply_name(number));
  if (!text) return std::nullopt;
  auto read = replay::read_mailbox_reply(number, *text, call);
  if (auto* const answer = std::get_if<replay::HttpAnswer>(&read)) return std::move(*answer);
  // A file that is still being written is often no JSON: its first look is no reason to complain.
  const auto [known, is_new] = unreadable_.try_emplace(number, std::string());
  if (is_new || known->second != *text) {
    known->second = *text;
    is_told_.erase(number);
  } else if (is_told_.insert(number).second) {
    complaint_ = std::get<replay::ReplayFailure>(read).message;
  }
  return std::nullopt;
}

std::optional<std::string> MailboxFolder::complaint() { return std::exchange(complaint_, std::nullopt); }

}  // namespace ptcvm::drivers
