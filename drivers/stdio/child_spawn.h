// Starts a program with pipes to it and from it, in a process group of its own.
#pragma once
#include <sys/types.h>

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ptcvm::stdio {

// Owns a file descriptor, or none.
class Descriptor {
 public:
  Descriptor() = default;
  ~Descriptor() { close(); }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  void set(int fd);              // closes what it had
  int get() const { return fd_; }
  bool is_open() const { return fd_ >= 0; }
  void close();

 private:
  int fd_ = -1;
};

// What to start, and where.
struct ChildProgram {
  const std::vector<std::string>& command;
  const std::vector<std::pair<std::string, std::string>>& environment;   // on top of the environment of this process
  const std::string& folder;                                             // "": the folder of this process
  // The whole standard input, which is there before the program begins: the end of this process cuts nothing off. It is
  // a pipe, or a file in memory when a pipe has no room for it. Nullopt: a pipe that the caller writes.
  std::optional<std::string_view> input = std::nullopt;
};

// The ends of a child that are here. The pipes do not block.
struct ChildEnds {
  Descriptor to_child, from_child, errors;   // to_child: none when the program has an input
  pid_t pid = -1;
  std::string mark;              // in the environment of the child and of what it starts (marked_processes.h)

  // Returns 0, or errno of what failed.
  int start(const ChildProgram& program);
};

// Returns why a program could not be started, for people: "cannot start pay: No such file or directory", or what is
// wrong with its folder. `error` is what start() returned; `folder` is "" or the folder of the program.
std::string start_failure_text(const std::vector<std::string>& command, const std::string& folder, int error);

// Returns whether the child has ended; `status` is then as waitpid() gives it. What the child started and left in its
// process group is killed before its number can be given to another process.
bool reap_child(pid_t pid, int& status);
// Kills the child, its process group and whatever else it has started, and waits for the end of the child.
void kill_child(const ChildEnds& child, int& status);

}  // namespace ptcvm::stdio
