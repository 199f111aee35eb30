// A process id is used again sooner or later, so the start time of the process belongs to it, and the boot to that.
#include "runtime/log/process_owner.h"

#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <csignal>
#include <fstream>
#include <iterator>
#include <optional>

#include "vm/value/utf8.h"

namespace ptc {
namespace {

constexpr std::size_t kBootSize = 36;   // a UUID

struct Owner {
  std::string host, boot, started;
  std::int64_t pid = 0;
};

std::string content_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

// Field 22 of /proc/PID/stat; the second one, a name in brackets, may hold anything. "": no such process, or it cannot
// be looked at; "over": it has ended, and nobody has asked for its status yet.
std::string start_time(std::int64_t pid) {
  const std::string stat = content_of("/proc/" + std::to_string(pid) + "/stat");
  std::size_t at = stat.rfind(')');
  if (at == std::string::npos) return {};
  if (stat.find_first_of("ZX", at) == at + 2) return "over";
  for (int field = 2; field < 21 && at != std::string::npos; ++field) at = stat.find(' ', at + 1);
  if (at == std::string::npos) return {};
  const std::size_t begin = stat.find(' ', at + 1);
  return begin == std::string::npos ? "" : stat.substr(begin + 1, stat.find(' ', begin + 1) - begin - 1);
}

// Process ids mean something in one space of them (containers): "pid:[4026531836]".
std::string process_space() {
  char text[64] = {};
  const ssize_t size = readlink("/proc/self/ns/pid", text, sizeof text);
  return size > 0 ? std::string(text, static_cast<std::size_t>(size)) : std::string();
}

Owner this_process() {
  Owner owner;
  char host[256] = {};
  gethostname(host, sizeof host - 1);
  owner.host = utf8_repaired(host);
  owner.boot = content_of("/proc/sys/kernel/random/boot_id").substr(0, kBootSize) + ' ' + process_space();
  owner.pid = getpid();
  owner.started = start_time(owner.pid);
  return owner;
}

constexpr std::string_view kHost = "ptcvm on ", kPid = ", process ", kStarted = ", started ", kBoot = ", boot ";

std::string text_of(const Owner& owner) {
  std::string text(kHost);
  text += owner.host;
  text.append(kPid).append(std::to_string(owner.pid));
  text.append(kStarted).append(owner.started);
  return text.append(kBoot).append(owner.boot);
}

// From the end: the name of a host may hold anything.
std::optional<Owner> read_owner(std::string_view text) {
  if (!text.starts_with(kHost)) return std::nullopt;
  const std::size_t boot = text.rfind(kBoot), started = text.rfind(kStarted, boot), pid = text.rfind(kPid, started);
  if (boot == text.npos || started == text.npos || pid == text.npos || pid < kHost.size()) return std::nullopt;
  const auto between = [text](std::size_t from, std::string_view word, std::size_t to) {
    return text.substr(from + word.size(), to - from - word.size());
  };
  Owner owner;
  owner.host = between(0, kHost, pid);
  owner.started = between(started, kStarted, boot);
  owner.boot = text.substr(boot + kBoot.size());
  const std::string_view number = between(pid, kPid, started);
  const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), owner.pid);
  if (error != std::errc() || end != number.data() + number.size() || owner.pid <= 0) return std::nullopt;
  return owner;
}

}  // namespace

std::string process_owner() { return text_of(this_process()); }

bool owner_is_alive(std::string_view text) {
  const auto owner = read_owner(text);
  if (!owner) return false;
  const Owner self = this_process();
  if (owner->host != self.host || owner->boot != self.boot || owner->started.empty()) return false;
  return start_time(owner->pid) == owner->started;
}

bool owner_is_gone(std::string_view text) {
  const auto owner = read_owner(text);
  if (!owner) return false;
  const Owner self = this_process();
  if (owner->host != self.host) return false;
  if (owner->boot.substr(0, kBootSize) != self.boot.substr(0, kBootSize)) return true;   // it was started anew
  if (owner->boot != self.boot) return false;
  const std::string started = start_time(owner->pid);
  if (!started.empty()) return started != owner->started;
  return kill(static_cast<pid_t>(owner->pid), 0) != 0 && errno == ESRCH;
}

}  // namespace ptc
