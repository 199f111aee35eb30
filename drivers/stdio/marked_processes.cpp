#include "drivers/stdio/marked_processes.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string_view>
#include <thread>
#include <vector>

#include "drivers/stdio/child_spawn.h"

namespace ptcvm::stdio {
namespace {

constexpr int kMostRounds = 50;                      // a process may start others while it is looked for
constexpr std::chrono::milliseconds kPause{1};
constexpr std::size_t kMostBytes = std::size_t{4} << 20;   // an environment is read so far

// Returns the environment of a process as the system has it: NAME=VALUE, each with a zero behind it. "" when it cannot
// be read, or when the process is dead.
std::string environment_of(pid_t pid) {
  Descriptor file;
  file.set(::open(("/proc/" + std::to_string(pid) + "/environ").c_str(), O_RDONLY | O_CLOEXEC));
  std::string out;
  std::array<char, 16384> buffer;
  while (file.is_open() && out.size() < kMostBytes) {
    const ssize_t got = ::read(file.get(), buffer.data(), buffer.size());
    if (got <= 0) break;
    out.append(buffer.data(), static_cast<std::size_t>(got));
  }
  return out;
}

// Returns whether the environment has the mark, or one that begins with it.
bool has_mark(std::string_view environment, std::string_view setting) {
  constexpr std::size_t kNone = std::string_view::npos;
  for (std::size_t at = environment.find(setting); at != kNone; at = environment.find(setting, at + 1)) {
    const bool is_name = at == 0 || environment[at - 1] == '\0';
    const std::size_t end = at + setting.size();
    if (is_name && (end == environment.size() || environment[end] == '\0' || environment[end] == '/')) return true;
  }
  return false;
}

std::vector<pid_t> all_processes() {
  std::vector<pid_t> out;
  const std::unique_ptr<DIR, int (*)(DIR*)> folder(opendir("/proc"), closedir);
  for (const dirent* entry = nullptr; folder != nullptr && (entry = readdir(folder.get())) != nullptr;) {
    const std::string_view name = entry->d_name;
    pid_t pid = 0;
    const auto read = std::from_chars(name.data(), name.data() + name.size(), pid);
    if (read.ec == std::errc() && read.ptr == name.data() + name.size() && pid != getpid()) out.push_back(pid);
  }
  return out;
}

// Kills a process that has the mark. Its number may have become the number of another one meanwhile: that one is looked
// at again, while a descriptor holds the process.
void kill_process(pid_t pid, std::string_view setting) {
  Descriptor process;
  process.set(static_cast<int>(syscall(SYS_pidfd_open, pid, 0)));   // <sys/pidfd.h> of Debian 12 is for C alone
  if (!process.is_open() && errno == ENOSYS) kill(pid, SIGKILL);   // a sandbox without the call
  if (process.is_open() && has_mark(environment_of(pid), setting)) {
    (void)syscall(SYS_pidfd_send_signal, process.get(), SIGKILL, nullptr, 0);
  }
}

}  // namespace

std::string new_mark() {
  static const std::string process = [] {
    const char* const above = std::getenv(kMarkVariable);
    const auto now = std::chrono::system_clock::now().time_since_epoch();
    return (above == nullptr ? std::string() : std::string(above) + '/') + std::to_string(getpid()) + '-' +
           std::to_string(std::chrono::duration_cast<std::chrono::nanoseconds>(now).count());
  }();
  static std::atomic<std::uint64_t> count{0};
  return process + '/' + std::to_string(++count);
}

void kill_marked(const std::string& mark) {
  const std::string setting = std::string(kMarkVariable) + '=' + mark;
  for (int round = 0; round < kMostRounds; ++round) {
    bool is_any = false;
    for (const pid_t pid : all_processes()) {
      if (!has_mark(environment_of(pid), setting)) continue;
      is_any = true;
      kill_process(pid, setting);
    }
    if (!is_any) return;
    std::this_thread::sleep_for(kPause);             // until the dead have no environment any more
  }
}

}  // namespace ptcvm::stdio
