#include "drivers/mailbox/mailbox_folder.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

namespace ptcvm::drivers {
namespace {

namespace fs = std::filesystem;

class MailboxFolderTest : public testing::Test {
 protected:
  MailboxFolderTest() { fs::create_directories(folder_); }
  ~MailboxFolderTest() override { fs::remove_all(folder_); }
  void write(const std::string& name, std::string_view text) { std::ofstream(folder_ / name) << text; }

  const fs::path folder_ = fs::path(testing::TempDir()) / ("mailbox-" + std::to_string(getpid()));
  const replay::ModelCall call_ = {"", wire::Protocol::Chat, false, "{}", {}};
};

TEST_F(MailboxFolderTest, RequestsAreNumberedAndNotWrittenTwice) {
  MailboxFolder mailbox(folder_);
  EXPECT_EQ(std::get<std::size_t>(mailbox.post("a", call_)), 1U);
  EXPECT_EQ(std::get<std::size_t>(mailbox.post("b", call_)), 2U);
  EXPECT_EQ(std::get<std::size_t>(MailboxFolder(folder_).post("a", call_)), 1U);
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_), {}), 2);
}

TEST_F(MailboxFolderTest, AnotherRequestWithTheSameKeyIsAnotherRequest) {
  MailboxFolder mailbox(folder_);
  replay::ModelCall other = call_;
  other.body = R"({"messages":[]})";
  EXPECT_EQ(std::get<std::size_t>(mailbox.post("a", call_)), 1U);
  EXPECT_EQ(std::get<std::size_t>(mailbox.post("a", other)), 2U);
  EXPECT_EQ(std::get<std::size_t>(mailbox.post("a", other)), 2U);
}

TEST_F(MailboxFolderTest, AReplyIsThereWhenItsFileIs) {
  MailboxFolder mailbox(folder_);
  EXPECT_FALSE(mailbox.look(1, call_));
  write("1.reply.json", R"({"text": "hello"})");
  EXPECT_NE(mailbox.look(1, call_)->body.find("hello"), std::string::npos);
}

TEST_F(MailboxFolderTest, AReplyThatCannotBeReadIsToldOnceForEachContent) {
  MailboxFolder mailbox(folder_);
  write("1.reply.json", "{");
  EXPECT_FALSE(mailbox.look(1, call_));
  EXPECT_FALSE(mailbox.complaint());   // it may still be written
  EXPECT_FALSE(mailbox.look(1, call_));
  EXPECT_NE(mailbox.complaint()->find("1.reply.json: the reply is no JSON"), std::string::npos);
  EXPECT_FALSE(mailbox.look(1, call_));
  EXPECT_FALSE(mailbox.complaint());
  write("1.reply.json", R"({"text": "hello"})");
  EXPECT_TRUE(mailbox.look(1, call_));
}

TEST_F(MailboxFolderTest, AFolderThatIsNotThereIsNamed) {
  const auto posted = MailboxFolder(folder_ / "none").post("a", call_);
  EXPECT_NE(std::get<std::string>(posted).find("none"), std::string::npos);
}

}  // namespace
}  // namespace ptcvm::drivers
