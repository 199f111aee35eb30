// Loaded before a program (LD_PRELOAD): kills the program ptcvm with SIGKILL in the place of the operation of the disk
// whose number PTCVM_KILL_AT has, from 1. PTCVM_COUNT_FILE names a file that gets a byte for each operation. Programs
// that ptcvm starts are left alone. The operations are those with which SQLite changes files. With PTCVM_KILL_AT_SPAWN,
// ptcvm is killed when it has started a program.
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/types.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>

namespace {

bool is_ptcvm() { return std::strcmp(program_invocation_short_name, "ptcvm") == 0; }

void count_operation() {
  static long done = 0;
  if (!is_ptcvm()) return;
  ++done;
  if (const char* const file = std::getenv("PTCVM_COUNT_FILE")) {
    const int out = open(file, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
    if (write(out, ".", 1) != 1) std::abort();
    close(out);
  }
  const char* const at = std::getenv("PTCVM_KILL_AT");
  if (at != nullptr && std::atol(at) == done) kill(getpid(), SIGKILL);
}

// Returns the function of that name that the program would call without this library.
template <class Function>
Function next_function(const char* name) {
  return reinterpret_cast<Function>(dlsym(RTLD_NEXT, name));
}

}  // namespace

extern "C" ssize_t pwrite64(int file, const void* bytes, size_t size, off64_t offset) {
  using Function = ssize_t (*)(int, const void*, size_t, off64_t);
  static const Function next = next_function<Function>("pwrite64");
  count_operation();
  return next(file, bytes, size, offset);
}

extern "C" int fdatasync(int file) {
  using Function = int (*)(int);
  static const Function next = next_function<Function>("fdatasync");
  count_operation();
  return next(file);
}

extern "C" int unlink(const char* path) noexcept {
  using Function = int (*)(const char*);
  static const Function next = next_function<Function>("unlink");
  count_operation();
  return next(path);
}

extern "C" int posix_spawnp(pid_t* pid, const char* file, const posix_spawn_file_actions_t* actions,
                            const posix_spawnattr_t* attributes, char* const* arguments, char* const* variables) {
  using Function = decltype(&posix_spawnp);
  static const Function next = next_function<Function>("posix_spawnp");
  const int error = next(pid, file, actions, attributes, arguments, variables);
  if (is_ptcvm() && std::getenv("PTCVM_KILL_AT_SPAWN") != nullptr) kill(getpid(), SIGKILL);
  return error;
}
