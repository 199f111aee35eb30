// The ledger of the crash kit: an own process that keeps what really happened, while all others are killed.
//
// A tool of the program under test calls record() at the moment of its effect. When it returns, the ledger has the
// entry; when its process dies before that, the ledger has it or not, as with any outside system. Children of the
// process that made the ledger can use it; it ends with the object, or with that process.
#pragma once
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "runtime/text/edn.h"
#include "runtime/calls/tools.h"
#include "vm/value/print.h"

namespace ptc {

// A new folder under `parent` (none: the system's for temporary files), removed with the object in the process that
// made it.
class CrashFolder {
 public:
  explicit CrashFolder(const std::string& parent = {}) : maker_(getpid()) {
    const auto base = parent.empty() ? std::filesystem::temp_directory_path() : std::filesystem::path(parent);
    std::string pattern = (base / "ptc_crash_XXXXXX").string();
    if (mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("no folder can be made in " + base.string());
    path_ = pattern;
  }
  CrashFolder(const CrashFolder&) = delete;
  CrashFolder& operator=(const CrashFolder&) = delete;
  ~CrashFolder() {
    std::error_code ignored;
    if (getpid() == maker_) std::filesystem::remove_all(path_, ignored);
  }
  const std::string& path() const { return path_; }

 private:
  const pid_t maker_;
  std::string path_;
};

// One effect. Entries stand in the order in which they happened.
struct LedgerEntry {
  std::string tool, args, key;   // canonical EDN; the idempotency key
  std::string value;             // what the effect came to, as EDN: the answer, also one that comes later; may be ""
};

class Ledger {
 public:
  Ledger() : maker_(getpid()) {
    const int listener = listening();
    server_ = fork();
    if (server_ < 0) throw std::runtime_error("the ledger cannot be started");
    if (server_ == 0) {
      serve(listener, maker_);
      _exit(0);
    }
    close(listener);
  }
  Ledger(const Ledger&) = delete;
  Ledger& operator=(const Ledger&) = delete;
  ~Ledger() {
    if (getpid() != maker_) return;
    ask({"quit"});
    waitpid(server_, nullptr, 0);
  }

  // It happened. Gives the value of the first entry with this key: what an outside system answers that knows keys.
  std::string record(std::string_view tool, std::string_view args, std::string_view key, std::string_view value = {}) {
    return ask({"record", std::string(tool), std::string(args), std::string(key), std::string(value)}).front();
  }
  std::string record(const ToolCall& call, std::string_view value = {}) {
    std::string args;
    append_edn(args, call.args, call.heap);
    return record(call.name, args, call.meta.idempotency_key, value);
  }
  // Records the call and answers it: for tools that are nothing but their effect.
  ToolReply happened(const ToolCall& call, std::string_view value_edn) {
    auto value = read_edn(call.heap, record(call, value_edn));
    if (const Value* const good = std::get_if<Value>(&value)) return ToolReply::value(*good);
    return ToolReply::error("the ledger was given a value that is no EDN");
  }

  std::vector<LedgerEntry> entries() const {
    std::vector<LedgerEntry> out;
    const Fields all = ask({"entries"});
    for (std::size_t at = 0; at + 3 < all.size(); at += 4) {
      out.push_back({all[at], all[at + 1], all[at + 2], all[at + 3]});
    }
    return out;
  }
  // The first entry with this key.
  std::optional<LedgerEntry> find(std::string_view key) const {
    for (LedgerEntry& entry : entries()) {
      if (entry.key == key) return std::move(entry);
    }
    return std::nullopt;
  }
  void clear() { ask({"clear"}); }

  // Texts that processes leave behind about themselves; taking them empties the list.
  void note(std::string text) const { ask({"note", std::move(text)}); }
  std::vector<std::string> take_notes() const { return ask({"notes"}); }

 private:
  using Fields = std::vector<std::string>;

  int listening() const {
    const int listener = socket(AF_UNIX, SOCK_STREAM, 0);
    const sockaddr_un name = address();
    if (listener < 0 || bind(listener, reinterpret_cast<const sockaddr*>(&name), sizeof name) != 0 ||
        listen(listener, 64) != 0) {
      throw std::runtime_error("the ledger cannot listen at " + socket_path());
    }
    return listener;
  }
  std::string socket_path() const { return folder_.path() + "/ledger"; }
  sockaddr_un address() const {
    sockaddr_un out{};
    out.sun_family = AF_UNIX;
    const std::string path = socket_path();
    if (path.size() >= sizeof out.sun_path) throw std::runtime_error("the name of the socket is too long: " + path);
    std::memcpy(out.sun_path, path.c_str(), path.size() + 1);
    return out;
  }

  // An effect that nobody can write down must not go on: without its ledger a process ends.
  Fields ask(const Fields& question) const {
    const int line = socket(AF_UNIX, SOCK_STREAM, 0);
    const sockaddr_un name = address();
    std::optional<Fields> answer;
    if (line >= 0 && connect(line, reinterpret_cast<const sockaddr*>(&name), sizeof name) == 0 &&
        send_fields(line, question)) {
      answer = receive_fields(line);
    }
    if (line >= 0) close(line);
    if (!answer) {
      std::fputs("the ledger does not answer\n", stderr);
      std::abort();
    }
    return std::move(*answer);
  }

  // One question a connection; a process that died while it asked has asked nothing.
  static void serve(int listener, pid_t maker) {
    std::vector<LedgerEntry> entries;
    Fields notes;
    while (getppid() == maker) {
      pollfd waits{listener, POLLIN, 0};
      if (poll(&waits, 1, 500) <= 0) continue;
      const int line = accept(listener, nullptr, nullptr);
      if (line < 0) continue;
      const auto question = receive_fields(line);
      if (question && !question->empty()) send_fields(line, answer_to(*question, entries, notes));
      close(line);
      if (question && !question->empty() && question->front() == "quit") return;
    }
  }
  static Fields answer_to(const Fields& question, std::vector<LedgerEntry>& entries, Fields& notes) {
    const std::string& what = question.front();
    Fields out;
    if (what == "record" && question.size() == 5) {
      entries.push_back({question[1], question[2], question[3], question[4]});
      std::size_t first = 0;
      while (entries[first].key != question[3]) ++first;
      out.push_back(entries[first].value);
    } else if (what == "entries") {
      for (const LedgerEntry& entry : entries) out.insert(out.end(), {entry.tool, entry.args, entry.key, entry.value});
    } else if (what == "note" && question.size() == 2) {
      notes.push_back(question[1]);
    } else if (what == "notes") {
      out = std::exchange(notes, {});
    } else if (what == "clear") {
      entries.clear();
      notes.clear();
    }
    return out;
  }

  // A message: its size, then size and bytes of each field.
  static bool send_fields(int line, const Fields& fields) {
    std::string bytes(sizeof(std::uint32_t), '\0');
    for (const std::string& field : fields) bytes += size_bytes(field.size()) + field;
    bytes.replace(0, sizeof(std::uint32_t), size_bytes(bytes.size() - sizeof(std::uint32_t)));
    for (std::size_t sent = 0; sent < bytes.size();) {
      const ssize_t count = send(line, bytes.data() + sent, bytes.size() - sent, MSG_NOSIGNAL);
      if (count <= 0) return false;
      sent += static_cast<std::size_t>(count);
    }
    return true;
  }
  static std::optional<Fields> receive_fields(int line) {
    const auto head = receive_bytes(line, sizeof(std::uint32_t));
    if (!head) return std::nullopt;
    const auto bytes = receive_bytes(line, size_at(*head, 0));
    if (!bytes) return std::nullopt;
    Fields out;
    for (std::size_t at = 0; at + sizeof(std::uint32_t) <= bytes->size();) {
      const std::size_t size = size_at(*bytes, at);
      out.push_back(bytes->substr(at + sizeof(std::uint32_t), size));
      at += sizeof(std::uint32_t) + size;
    }
    return out;
  }
  static std::optional<std::string> receive_bytes(int line, std::size_t size) {
    std::string out(size, '\0');
    for (std::size_t had = 0; had < size;) {
      const ssize_t count = recv(line, out.data() + had, size - had, 0);
      if (count <= 0) return std::nullopt;
      had += static_cast<std::size_t>(count);
    }
    return out;
  }
  static std::string size_bytes(std::size_t size) {
    const auto number = static_cast<std::uint32_t>(size);
    std::string out(sizeof number, '\0');
    std::memcpy(out.data(), &number, sizeof number);
    return out;
  }
  static std::size_t size_at(const std::string& bytes, std::size_t at) {
    std::uint32_t number = 0;
    std::memcpy(&number, bytes.data() + at, sizeof number);
    return number;
  }

  const CrashFolder folder_;
  const pid_t maker_;
  pid_t server_ = -1;
};

}  // namespace ptc
