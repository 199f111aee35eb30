#include "drivers/stdio/child_spawn.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <string_view>

#include "drivers/stdio/marked_processes.h"

extern char** environ;

namespace ptcvm::stdio {
namespace {

constexpr std::size_t kMostPipeBytes = 1u << 20;   // what a pipe of anybody may hold (/proc/sys/fs/pipe-max-size)

bool open_pipe(Descriptor& read_end, Descriptor& write_end) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return false;
  read_end.set(ends[0]);
  write_end.set(ends[1]);
  return true;
}

void set_nonblocking(int fd) { fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK); }

// Writes all of a text without waiting. Returns whether there was room for it.
bool write_all(int fd, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = write(fd, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

// Makes a pipe that has the text, and ends behind it. Returns false when a pipe has no room for so much.
bool fill_pipe(std::string_view text, Descriptor& read_end) {
  Descriptor write_end;
  if (text.size() > kMostPipeBytes || !open_pipe(read_end, write_end)) return false;
  set_nonblocking(write_end.get());
  fcntl(write_end.get(), F_SETPIPE_SZ, static_cast<int>(text.size()));   // it keeps its room when it may not grow
  return write_all(write_end.get(), text);
}

// Makes a file in memory that has the text, and that nobody can change.
bool fill_memory(std::string_view text, Descriptor& file) {
  file.set(memfd_create("input", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (!file.is_open() || !write_all(file.get(), text) || lseek(file.get(), 0, SEEK_SET) != 0) return false;
  fcntl(file.get(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE | F_SEAL_SEAL);
  return true;
}

// Opens what the child reads: its whole input, or a pipe from here.
bool open_input(const ChildProgram& program, Descriptor& read_end, Descriptor& write_end) {
  if (!program.input) return open_pipe(read_end, write_end);
  return fill_pipe(*program.input, read_end) || fill_memory(*program.input, read_end);
}

// Returns NAME=VALUE of this process; a variable of the program takes the place of its namesake.
std::vector<std::string> settings_of(const ChildProgram& program, const std::string& mark) {
  std::vector<std::string> settings{std::string(kMarkVariable) + '=' + mark};
  for (const auto& [name, value] : program.environment) settings.push_back(name + '=' + value);
  for (char** at = environ; *at != nullptr; ++at) {
    const std::string_view setting = *at;
    const std::string_view name = setting.substr(0, setting.find('='));
    const bool is_replaced = name == kMarkVariable ||
                             std::any_of(program.environment.begin(), program.environment.end(),
                                         [name](const auto& own) { return own.first == name; });
    if (!is_replaced) settings.emplace_back(setting);
  }
  return settings;
}

std::vector<char*> pointers_to(const std::vector<std::string>& texts) {
  std::vector<char*> out;
  for (const std::string& text : texts) out.push_back(const_cast<char*>(text.c_str()));
  out.push_back(nullptr);
  return out;
}

// A group of its own, and the signals that this process handles as a new process has them.
void set_attributes(posix_spawnattr_t& attributes) {
  posix_spawnattr_init(&attributes);
  sigset_t defaults;
  sigemptyset(&defaults);
  for (const int number : {SIGPIPE, SIGINT, SIGTERM, SIGXFSZ}) sigaddset(&defaults, number);
  posix_spawnattr_setsigdefault(&attributes, &defaults);
  posix_spawnattr_setpgroup(&attributes, 0);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF);
}

}  // namespace

void Descriptor::set(int fd) {
  close();
  fd_ = fd;
}

void Descriptor::close() {
  if (fd_ >= 0) ::close(fd_);
  fd_ = -1;
}

std::string start_failure_text(const std::vector<std::string>& command, const std::string& folder, int error) {
  const bool is_enterable = folder.empty() || access((folder + "/.").c_str(), X_OK) == 0;
  if (!is_enterable) return "cannot enter the folder " + folder + " of " + command[0] + ": " + std::strerror(errno);
  return "cannot start " + command[0] + ": " + std::strerror(error);
}

int ChildEnds::start(const ChildProgram& program) {
  Descriptor child_in, child_out, child_error;
  const bool is_open = open_input(program, child_in, to_child) && open_pipe(from_child, child_out) &&
                       open_pipe(errors, child_error);
  if (!is_open) return errno;
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, child_in.get(), STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, child_out.get(), STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, child_error.get(), STDERR_FILENO);
  posix_spawn_file_actions_addclosefrom_np(&actions, STDERR_FILENO + 1);   // sockets of a server among them
  if (!program.folder.empty()) posix_spawn_file_actions_addchdir_np(&actions, program.folder.c_str());
  posix_spawnattr_t attributes;
  set_attributes(attributes);
  mark = new_mark();
  const std::vector<std::string> settings = settings_of(program, mark);
  const std::vector<char*> arguments = pointers_to(program.command), variables = pointers_to(settings);
  const int error = posix_spawnp(&pid, arguments[0], &actions, &attributes, arguments.data(), variables.data());
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0) return error;
  for (const Descriptor* const end : {&to_child, &from_child, &errors}) {
    if (end->is_open()) set_nonblocking(end->get());
  }
  return 0;
}

bool reap_child(pid_t pid, int& status) {
  siginfo_t ended{};
  const int waited = waitid(P_PID, static_cast<id_t>(pid), &ended, WEXITED | WNOHANG | WNOWAIT);
  if (waited != 0 || ended.si_pid != pid) return false;
  kill(-pid, SIGKILL);
  return waitpid(pid, &status, 0) == pid;
}

void kill_child(const ChildEnds& child, int& status) {
  kill(-child.pid, SIGKILL);
  waitpid(child.pid, &status, 0);
  kill_marked(child.mark);
}

}  // namespace ptcvm::stdio
