#include "runtime/log/process_owner.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

namespace ptc {
namespace {

// The owner text of a child that lives until it is killed.
struct Child {
  pid_t pid = 0;
  std::string owner;

  Child() {
    int ends[2] = {};
    EXPECT_EQ(pipe(ends), 0);
    pid = fork();
    if (pid == 0) {
      const std::string text = process_owner();
      if (write(ends[1], text.data(), text.size()) < 0) _exit(1);
      for (;;) pause();
    }
    char text[1024] = {};
    owner.assign(text, static_cast<std::size_t>(read(ends[0], text, sizeof text)));
    close(ends[0]);
    close(ends[1]);
  }
};

TEST(ProcessOwner, ThisProcessIsNotGone) { EXPECT_FALSE(owner_is_gone(process_owner())); }

TEST(ProcessOwner, AProcessIsGoneWhenItIsDead) {
  Child child;
  EXPECT_FALSE(owner_is_gone(child.owner)) << child.owner;
  kill(child.pid, SIGKILL);
  siginfo_t info;
  EXPECT_EQ(waitid(P_PID, static_cast<id_t>(child.pid), &info, WEXITED | WNOWAIT), 0);
  EXPECT_TRUE(owner_is_gone(child.owner)) << "nobody has taken its status yet";
  EXPECT_EQ(waitpid(child.pid, nullptr, 0), child.pid);
  EXPECT_TRUE(owner_is_gone(child.owner));
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << text;
  return text.replace(at, from.size(), to);
}

TEST(ProcessOwner, AnIdThatWasUsedAgainIsAnotherProcess) {
  EXPECT_TRUE(owner_is_gone(replaced(process_owner(), ", started ", ", started 9")));
}

TEST(ProcessOwner, OfOtherMachinesNothingIsKnown) {
  EXPECT_FALSE(owner_is_gone(replaced(process_owner(), " on ", " on another-")));
}

TEST(ProcessOwner, EarlierBootsAreGone) {
  const std::string self = process_owner();
  const std::size_t boot = self.find(", boot ") + 7;
  std::string before = self;
  before[boot] = before[boot] == '0' ? '1' : '0';
  EXPECT_TRUE(owner_is_gone(before));
}

TEST(ProcessOwner, OtherTextsNameNobody) {
  for (const char* text : {"", "ptcvm", "ptcvm on a, process 1", "ptcvm on a, process x, started 1, boot b",
                           "ptcvm on a, process 99999999999999999999, started 1, boot b"}) {
    EXPECT_FALSE(owner_is_gone(text)) << text;
  }
}

}  // namespace
}  // namespace ptc
