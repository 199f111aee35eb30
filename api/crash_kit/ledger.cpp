#include "ptcvm/crash_ledger.hpp"

#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "api/crash_kit/ledger_access.h"
#include "api/crash_kit/temporary_folder.h"

namespace ptcvm::crash {
namespace {

// The process that keeps the entries.
class Server {
 public:
  // Answers questions until it is told to quit, or until `maker` is gone. Each connection has one question; a process
  // that died while it asked has asked nothing.
  void serve(int listener, pid_t maker) {
    while (getppid() == maker) {
      pollfd waits{listener, POLLIN, 0};
      constexpr int kLookMillis = 500;
      if (poll(&waits, 1, kLookMillis) <= 0) continue;
      const int line = accept(listener, nullptr, nullptr);
      if (line < 0) continue;
      const auto question = receive_message(line);
      const bool is_asked = question && !question->empty();
      if (is_asked) send_message(line, answer(*question));
      close(line);
      if (is_asked && question->front() == "quit") return;
    }
  }

 private:
  Message answer(const Message& question) {
    const std::string& what = question.front();
    Message out;
    if (what == "record" && question.size() == 5) {
      entries_.push_back({question[1], question[2], question[3], question[4]});
      std::size_t first = 0;
      while (entries_[first].key != question[3]) ++first;
      out.push_back(entries_[first].value);
    } else if (what == "entries") {
      for (const LedgerEntry& entry : entries_) out.insert(out.end(), {entry.tool, entry.args, entry.key, entry.value});
    } else if (what == "note" && question.size() == 2) {
      notes_.push_back(question[1]);
    } else if (what == "notes") {
      out = std::exchange(notes_, {});
    } else if (what == "clear") {
      entries_.clear();
      notes_.clear();
    }
    return out;
  }

  std::vector<LedgerEntry> entries_;
  Message notes_;
};

Error failed(const std::string& what) { return {Errc::store_failed, what + ": " + std::strerror(errno), {}}; }

}  // namespace

struct PTCVM_HIDDEN Ledger::Impl {
  std::unique_ptr<TemporaryFolder> folder;
  sockaddr_un name{};
  pid_t maker = getpid(), server = -1;

  ~Impl() {
    if (getpid() != maker || server < 0) return;
    ask({"quit"});
    waitpid(server, nullptr, 0);
  }

  Result<void> start() {
    const std::string path = folder->path() + "/ledger";
    if (path.size() >= sizeof name.sun_path) {
      return Error{Errc::store_failed, "the name of the ledger's socket is too long: " + path + ". Use another folder",
                   {}};
    }
    name.sun_family = AF_UNIX;
    std::memcpy(name.sun_path, path.c_str(), path.size() + 1);
    constexpr int kWaiting = 64;
    const int listener = socket(AF_UNIX, SOCK_STREAM, 0);
    if (listener < 0) return failed("the ledger has no socket");
    if (bind(listener, reinterpret_cast<const sockaddr*>(&name), sizeof name) != 0 || listen(listener, kWaiting) != 0) {
      const Error error = failed("the ledger cannot listen at " + path);
      close(listener);
      return error;
    }
    server = fork();
    if (server == 0) {
      Server().serve(listener, maker);
      _exit(0);
    }
    close(listener);
    if (server < 0) return failed("the ledger has no process");
    return {};
  }

  Message ask(const Message& question) const {
    const int line = socket(AF_UNIX, SOCK_STREAM, 0);
    std::optional<Message> answer;
    if (line >= 0 && connect(line, reinterpret_cast<const sockaddr*>(&name), sizeof name) == 0 &&
        send_message(line, question)) {
      answer = receive_message(line);
    }
    if (line >= 0) close(line);
    if (!answer) {
      std::fputs("the ledger of the crash kit does not answer\n", stderr);
      std::abort();
    }
    return std::move(*answer);
  }
};

Result<Ledger> Ledger::start(const std::string& folder) {
  auto made = TemporaryFolder::make(folder);
  if (!made) return std::move(made).error();
  auto impl = std::make_unique<Impl>();
  impl->folder = std::move(*made);
  if (auto started = impl->start(); !started) return std::move(started).error();
  return Ledger(std::move(impl));
}

Ledger::Ledger(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Ledger::Ledger(Ledger&& moved) noexcept = default;
Ledger& Ledger::operator=(Ledger&& moved) noexcept = default;
Ledger::~Ledger() = default;

std::string Ledger::record(std::string_view tool, std::string_view args, std::string_view key,
                           std::string_view value) {
  const Message answer =
      impl_->ask({"record", std::string(tool), std::string(args), std::string(key), std::string(value)});
  return answer.empty() ? std::string() : answer.front();
}

std::string Ledger::record(const ToolCall& call, std::string_view value) {
  return record(call.name(), call.args().to_edn(), call.idempotency_key(), value);
}

ToolReply Ledger::happened(ToolCall& call, std::string_view value_edn) {
  const std::string recorded = record(call, value_edn);
  auto value = Value::from_edn(recorded);
  if (!value) return call.error("the ledger was given the value " + recorded + ", which is not EDN");
  return call.value(std::move(*value));
}

std::vector<LedgerEntry> Ledger::entries() const {
  std::vector<LedgerEntry> out;
  const Message all = impl_->ask({"entries"});
  for (std::size_t at = 0; at + 3 < all.size(); at += 4) {
    out.push_back({all[at], all[at + 1], all[at + 2], all[at + 3]});
  }
  return out;
}

std::optional<LedgerEntry> Ledger::find(std::string_view key) const {
  for (LedgerEntry& entry : entries()) {
    if (entry.key == key) return std::move(entry);
  }
  return std::nullopt;
}

void Ledger::clear() { impl_->ask({"clear"}); }

void LedgerAccess::note(const Ledger& ledger, const Message& note) { ledger.impl_->ask({"note", encode(note)}); }

std::vector<Message> LedgerAccess::take_notes(const Ledger& ledger) {
  std::vector<Message> out;
  for (const std::string& note : ledger.impl_->ask({"notes"})) out.push_back(decode(note));
  return out;
}

}  // namespace ptcvm::crash
