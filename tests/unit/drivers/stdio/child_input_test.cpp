// What a child reads is there before it begins, so that the end of the process that started it cuts nothing off.
#include <gtest/gtest.h>
#include <poll.h>
#include <unistd.h>

#include <array>
#include <string>
#include <vector>

#include "drivers/stdio/child_spawn.h"

namespace ptcvm::stdio {
namespace {

// Reads all that a child writes.
std::string output_of(const Descriptor& from_child) {
  std::string text;
  std::array<char, 65536> buffer;
  for (;;) {
    pollfd waits{from_child.get(), POLLIN, 0};
    if (poll(&waits, 1, -1) < 0) continue;
    const ssize_t got = read(from_child.get(), buffer.data(), buffer.size());
    if (got <= 0) return text;
    text.append(buffer.data(), static_cast<std::size_t>(got));
  }
}

// Starts a command with an input, and does nothing more for it, as a process that is killed then.
std::string said_by(const std::vector<std::string>& command, std::string_view input) {
  ChildEnds child;
  EXPECT_EQ(child.start({command, {}, {}, input}), 0);
  EXPECT_FALSE(child.to_child.is_open());
  std::string said = output_of(child.from_child);
  int status = 0;
  kill_child(child, status);
  return said;
}

// No input, one for a pipe, one for a pipe that grows, and more than pipes take.
TEST(ChildInput, IsThereWithoutAnotherWord) {
  for (const std::size_t size : {0u, 20u, 65'536u, 65'537u, 1u << 20, (1u << 20) + 1, 5u << 20}) {
    std::string input(size, 'x');
    if (!input.empty()) input.back() = '\n';
    EXPECT_TRUE(said_by({"cat"}, input) == input) << size;
  }
}

TEST(ChildInput, MayBeLeftUnread) {
  for (const std::size_t size : {20u, 5u << 20}) EXPECT_EQ(said_by({"echo", "done"}, std::string(size, 'x')), "done\n");
}

TEST(ChildInput, OfAFileCannotBeChanged) {
  const std::string input(2u << 20, 'x');
  EXPECT_EQ(said_by({"sh", "-c", "(echo y >&0) 2> /dev/null; head -c 3"}, input), "xxx");
}

}  // namespace
}  // namespace ptcvm::stdio
