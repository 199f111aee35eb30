#include "agents/chain/risk/risk.h"

#include <gtest/gtest.h>

namespace ptcvm::chain {
namespace {

SafetyRules rules() {
  SafetyRules rules;
  rules.user_data_dirs = {"/u", "~/Documents"};
  rules.system_dirs = {"/etc"};
  rules.allow_paths = {"/u/ok"};
  rules.deny_paths = {"/u/ok/no"};
  rules.home = "/home/ada";
  rules.working_folder = "/u/ok/project";
  return rules;
}

std::string command(std::string_view line) {
  return assess_risk("shell_execute", {{"command", line}}, rules()).signature;
}

TEST(Risk, LooksAtEveryTargetOfACommand) {
  EXPECT_EQ(command("rm /u/ok/a /u/b"), "shell_destructive:/u/b");
  EXPECT_EQ(command("rm /u/ok/a && rm -f /u/ok/no/b"), "shell_deny:/u/ok/no/b");
  EXPECT_EQ(command("rm ~/Documents/x"), "shell_destructive:/home/ada/Documents/x");
  EXPECT_EQ(command("rm '/u/with blanks'"), "shell_destructive:/u/with blanks");
  EXPECT_EQ(command("ls; sudo -n mv /tmp/a /etc/b"), "shell_destructive:/etc/b");
  EXPECT_EQ(command("rm /u/ok/a"), "");
  EXPECT_EQ(command("rm /tmp/a"), "");
}

TEST(Risk, IsHighForGuardedToolsAfterAFailedCheck) {
  const auto signature = [](std::string_view tool, const boost::json::object& args, const SafetyRules& safety) {
    EXPECT_FALSE(assess_risk(tool, args, safety).is_high) << tool;
    return assess_risk(tool, args, safety, Trust::CheckFailed).signature;
  };
  EXPECT_EQ(signature("shell_execute", {{"command", "ls"}}, rules()), "verification_failure_guard:shell_execute");
  EXPECT_EQ(signature("fs_write_file", {{"path", "/u/ok/a"}}, rules()), "verification_failure_guard:fs_write_file");
  EXPECT_EQ(signature("git_commit", {}, rules()), "verification_failure_guard:git_commit");
  for (const char* const tool : {"fs_read_file", "fs_list_directory", "git_status", "say", "git"}) {
    EXPECT_EQ(signature(tool, {}, rules()), "") << tool;
  }
  SafetyRules own = rules();
  own.guarded_tools = {"say"};
  EXPECT_EQ(signature("git_commit", {}, own), "");
  EXPECT_EQ(signature("say", {}, own), "verification_failure_guard:say");
  // What is dangerous anyway keeps its own signature.
  EXPECT_EQ(assess_risk("fs_write_file", {{"path", "/etc/a"}}, rules(), Trust::CheckFailed).signature,
            "fs_write:/etc/a");
}

TEST(Risk, LooksForGuardedPathsInWhatIsNotKnownToReadOnly) {
  EXPECT_EQ(command("cp /tmp/k /u/keys"), "shell_destructive:/u/keys");
  EXPECT_EQ(command("cp /u/keys /tmp/k"), "");
  EXPECT_EQ(command("tee ~/Documents/x"), "shell_destructive:/home/ada/Documents/x");
  EXPECT_EQ(command("ln -s a /u/ok/no/x"), "shell_deny:/u/ok/no/x");
  EXPECT_EQ(command("curl -o/u/k http://e"), "shell_destructive:/u/k");
  EXPECT_EQ(command("sort --output=/u/k a"), "shell_destructive:/u/k");
  EXPECT_EQ(command("tar xf a.tar -C /etc"), "shell_destructive:/etc");
  EXPECT_EQ(command("ls /u; sort /u/a; grep -r x /u/ok/no; find /u -name x"), "");
}

TEST(Risk, FollowsTheFolderOfLaterCommands) {
  EXPECT_EQ(command("cd /u/ok/no && cp /tmp/k k"), "shell_deny:/u/ok/no/k");
  EXPECT_EQ(command("cd /u; rm x"), "shell_destructive:/u/x");
  EXPECT_EQ(command("cd $D; rm x"), "shell_unknown:cd $D; rm x");
  EXPECT_EQ(command("cd /tmp; cp a b"), "");
}

TEST(Risk, KnowsOtherWaysToDelete) {
  for (const char* const line : {"git mv ../a b", "perl -e unlink+q[x]",
                                 "python3 -c 'import os'", "awk '{system($1)}'", "r$()m x", "rsync --delete a/ $B"}) {
    EXPECT_TRUE(assess_risk("shell_execute", {{"command", line}}, rules()).is_high) << line;
  }
  EXPECT_EQ(command("git clean -fdx"), "") << "the working folder is allowed";
  SafetyRules elsewhere = rules();
  elsewhere.working_folder = "/u";
  EXPECT_TRUE(assess_risk("shell_execute", {{"command", "git clean -fdx"}}, elsewhere).is_high);
  EXPECT_EQ(command("python3 build.py"), "");
  EXPECT_EQ(command("npm test"), "");
}

TEST(Risk, DeniedFoldersGoBeforeAllowedOnesAboveThem) {
  EXPECT_EQ(command("rm -rf /u/ok"), "shell_deny:/u/ok");
  EXPECT_EQ(command("mv /u/ok /tmp/x"), "shell_deny:/u/ok");
  EXPECT_EQ(command("rm -rf /u/ok/tmp"), "");
}

TEST(Risk, DoesNotPassOverBraces) {
  for (const char* const line : {"rm /u/{a,b}/x", "rm /{u,tmp}/a", "cp /tmp/a /{u,tmp}/x", "echo hi > /u/{a,}/x",
                                 "cp /tmp/a /u?/x", "cp /tmp/a /et[c]/x", "cp /tmp/a \"/u/$N\"", "rm /tmp/{1..3}"}) {
    EXPECT_TRUE(assess_risk("shell_execute", {{"command", line}}, rules()).is_high) << line;
  }
  for (const char* const line : {"cp /tmp/a /tmp/{b,c}", "git stash drop stash@{0}", "{ ls; }", "make $TARGET",
                                 "cp /tmp/a /var/*"}) {
    EXPECT_EQ(command(line), "") << line;
  }
}

TEST(Risk, LooksIntoSubstitutions) {
  EXPECT_EQ(command("cat `rm /u/x`"), "shell_destructive:/u/x");
  EXPECT_EQ(command("cat $(rm /u/x)"), "shell_destructive:/u/x");
  EXPECT_EQ(command("cat \"a $(rm /u/x) b\""), "shell_destructive:/u/x");
  EXPECT_EQ(command("cat \"`rm /u/x`\""), "shell_destructive:/u/x");
  EXPECT_EQ(command("cat `echo \\`rm /u/x\\``"), "shell_destructive:/u/x");
  EXPECT_EQ(command("cat <(rm /u/x)"), "shell_destructive:/u/x");
  EXPECT_EQ(command("tee $(true) /u/x"), "shell_destructive:/u/x");
  EXPECT_EQ(command("tee `true` /u/x"), "shell_destructive:/u/x");
  EXPECT_EQ(command("cat $(ls) '`rm /u/x`'"), "");
  EXPECT_TRUE(assess_risk("shell_execute", {{"command", std::string(100'000, '(')}}, rules()).is_high);
  std::string deep;
  for (int i = 0; i < 100'000; ++i) deep += "$(";
  EXPECT_TRUE(assess_risk("shell_execute", {{"command", deep}}, rules()).is_high);
}

TEST(Risk, KnowsReadersThatWrite) {
  EXPECT_EQ(command("find /u/a -exec touch {} ;"), "shell_destructive:/u/a");
  EXPECT_EQ(command("find / -exec touch {} +"), "shell_deny:/");
  EXPECT_EQ(command("find /tmp -fprint /u/out"), "shell_destructive:/u/out");
  EXPECT_EQ(command("sed 's/a/b/w /u/x' /tmp/a"), "shell_destructive:/u/x");
  EXPECT_EQ(command("sed -n 'w/u/x' /tmp/a"), "shell_destructive:/u/x");
  EXPECT_EQ(command("tree -o /u/x"), "shell_destructive:/u/x");
  EXPECT_EQ(command("docker run --volume=/u/x:/x i"), "shell_destructive:/u/x");
  EXPECT_EQ(command("echo hi >&/u/x"), "shell_destructive:/u/x");
  EXPECT_EQ(command("find /u -exec grep -l x {} ;"), "");
  EXPECT_EQ(command("find . -exec touch {} ;"), "");
  EXPECT_EQ(command("curl https://u/x"), "");
}

TEST(Risk, FindsCommandsBehindOthers) {
  for (const char* const line : {"sudo -u ann rm -rf /", "timeout 5 rm -rf /", "xargs -n 1 rm", "busybox rm x"}) {
    EXPECT_TRUE(assess_risk("shell_execute", {{"command", line}}, rules()).is_high) << line;
  }
  EXPECT_EQ(command("timeout 5 make"), "");
}

TEST(Risk, ReadsCommandsUnderOtherNames) {
  const auto shell = [](const boost::json::object& args) {
    return assess_risk("shell_execute", args, rules()).signature;
  };
  EXPECT_EQ(shell({{"cmd", "rm /u/x"}}), "shell_destructive:/u/x");
  EXPECT_EQ(shell({{"command", "cp"}, {"args", boost::json::array{"/tmp/a", "/u/it's"}}}), "shell_destructive:/u/it's");
  EXPECT_EQ(shell({{"command", "cp a b"}, {"cwd", "/etc"}}), "shell_destructive:/etc/b");
  EXPECT_EQ(shell({{"what", "rm /u/x"}}), "shell_unknown:{\"what\":\"rm /u/x\"}");
  EXPECT_EQ(shell({{"command", "ls"}, {"timeout", 3}}), "");
  EXPECT_EQ(shell({}), "");
}

TEST(Risk, IsHighForFoldersAboveGuardedOnes) {
  EXPECT_EQ(command("rm -rf /home/ada"), "shell_destructive:/home/ada");
  EXPECT_EQ(command("rm -rf /"), "shell_destructive:/");
}

TEST(Risk, IsHighForTargetsThatAreNoText) {
  const boost::json::array words{"rm", "-rf", "/u"};
  EXPECT_EQ(assess_risk("shell_execute", {{"command", words}}, rules()).signature,
            "shell_unknown:[\"rm\",\"-rf\",\"/u\"]");
  EXPECT_EQ(assess_risk("fs_write_file", {{"path", words}}, rules()).signature,
            "fs_write_unknown:[\"rm\",\"-rf\",\"/u\"]");
}

TEST(Risk, AnApprovalCoversOneCommand) {
  EXPECT_TRUE(assess_risk("shell_execute", {{"command", "rm /u/x"}}, rules()).covers_one_call);
  EXPECT_FALSE(assess_risk("fs_write_file", {{"path", "/u/x"}}, rules()).covers_one_call);
  EXPECT_TRUE(assess_risk("fs_delete_file", {{"path", "/u/x"}}, rules()).covers_one_call);
  EXPECT_TRUE(assess_risk("fs_copy_file", {{"from", "/tmp/a"}, {"to", "/u/x"}}, rules()).covers_one_call);
  EXPECT_TRUE(assess_risk("git_push", {}, rules()).covers_one_call);
}

TEST(Risk, LooksAtRedirections) {
  EXPECT_EQ(command("echo hi>/u/b"), "shell_destructive:/u/b");
  EXPECT_EQ(command("cat a >> /etc/passwd"), "shell_destructive:/etc/passwd");
  EXPECT_EQ(command("make 2>&1"), "");
  EXPECT_EQ(command("make 2>/dev/null"), "");
  EXPECT_EQ(command("echo 'a > /u/b'"), "");
  EXPECT_EQ(command("sort < /u/b"), "");
}

TEST(Risk, DoesNotGuessWhatTheShellWouldMakeOfIt) {
  EXPECT_EQ(command("rm -rf *"), "shell_unknown:rm -rf *");
  EXPECT_EQ(command("rm $HOME/x"), "shell_unknown:rm $HOME/x");
  EXPECT_EQ(command("rm ../x"), "shell_unknown:rm ../x");
  EXPECT_EQ(command("rm"), "shell_unknown:rm");
  EXPECT_EQ(command("find . -name x -delete"), "shell_unknown:find . -name x -delete");
  EXPECT_EQ(command("sh -c 'rm /tmp/a'"), "shell_unknown:sh -c 'rm /tmp/a'");
  EXPECT_EQ(command("chmod 777 /etc"), "shell_permission:chmod 777 /etc");
}

TEST(Risk, KnowsRelativeTargetsByTheWorkingFolder) {
  EXPECT_EQ(command("rm docs/x"), "");
  SafetyRules elsewhere = rules();
  elsewhere.working_folder.clear();
  EXPECT_EQ(assess_risk("shell_execute", {{"command", "rm docs/x"}}, elsewhere).signature, "shell_unknown:rm docs/x");
}

TEST(Risk, IsNoMatterOfWordsInASentence) {
  EXPECT_EQ(command("echo please move along"), "");
  EXPECT_EQ(command("git log --grep rm"), "");
}

TEST(Risk, CountsDeletesAndBothEndsOfAMove) {
  const auto file = [](std::string_view tool, boost::json::object args) {
    return assess_risk(tool, args, rules()).signature;
  };
  EXPECT_EQ(file("fs_delete_file", {{"path", "/u/a"}}), "fs_delete:/u/a");
  EXPECT_EQ(file("fs_move_file", {{"from", "/u/a"}, {"to", "/tmp/b"}}), "fs_move:/u/a");
  EXPECT_EQ(file("fs_write_file", {{"path", "/u/ok/../secret"}}), "fs_write:/u/secret");
  EXPECT_EQ(file("fs_write_file", {{"path", "/u/okay"}}), "fs_write:/u/okay");
  EXPECT_EQ(file("fs_write_file", {{"path", "notes.txt"}}), "");
  EXPECT_EQ(file("fs_read_file", {{"path", "/u/a"}}), "");
  EXPECT_EQ(file("fs_write_file", {}), "");
}

TEST(Risk, CountsFoldersAboveGuardedOnes) {
  const auto file = [](std::string_view tool, boost::json::object args) {
    return assess_risk(tool, args, rules()).signature;
  };
  EXPECT_EQ(file("fs_delete_directory", {{"path", "/"}}), "fs_delete_deny:/");
  EXPECT_EQ(file("fs_delete_directory", {{"path", "/home"}}), "fs_delete:/home");
  EXPECT_EQ(file("fs_move", {{"from", "/home/ada"}, {"to", "/tmp/b"}}), "fs_move:/home/ada");
  EXPECT_EQ(file("fs_delete", {{"path", "/u/ok"}}), "fs_delete_deny:/u/ok");
  EXPECT_EQ(file("fs_delete", {{"path", "/u/ok/tmp"}}), "");
  EXPECT_EQ(file("fs_create_directory", {{"path", "/home/bo"}}), "");
}

TEST(Risk, KnowsToolsForFilesByOtherNames) {
  const auto file = [](std::string_view tool, boost::json::object args) {
    return assess_risk(tool, args, rules()).signature;
  };
  EXPECT_EQ(file("fs_rename", {{"path", "/u/x"}}), "fs_move:/u/x");
  EXPECT_EQ(file("fs_remove", {{"path", "/u/x"}}), "fs_delete:/u/x");
  EXPECT_EQ(file("fs_unlink", {{"path", "/u/x"}}), "fs_delete:/u/x");
  EXPECT_EQ(file("fs_append_file", {{"path", "/u/x"}}), "fs_write:/u/x");
  EXPECT_EQ(file("fs_edit_file", {{"path", "/u/x"}}), "fs_write:/u/x");
  EXPECT_EQ(file("fs_trim", {{"path", "/u/x"}}), "fs_change:/u/x");
  EXPECT_EQ(file("fs_move_file", {{"source", "/u/a"}, {"destination", "/tmp/b"}}), "fs_move:/u/a");
  EXPECT_EQ(file("fs_write_file", {{"file_path", "/u/x"}}), "fs_write:/u/x");
  EXPECT_EQ(file("fs_write_file", {{"filePath", "file:///u/x"}}), "fs_write:/u/x");
  EXPECT_EQ(file("fs_write_file", {{"place", "/u/x"}, {"content", "a"}}), "fs_write:/u/x");
  EXPECT_EQ(file("fs_write_file", {{"path", "/tmp/x"}, {"content", "/u/x"}}), "");
  EXPECT_EQ(file("fs_copy_file", {{"source", "/u/a"}, {"dest", "/tmp/b"}}), "");
  EXPECT_EQ(file("fs_archive", {{"path", "/u/a"}, {"outputPath", "/tmp/b"}}), "");
  EXPECT_EQ(file("fs_unarchive", {{"path", "/tmp/a"}, {"output_dir", "/u/b"}}), "fs_write:/u/b");
  EXPECT_EQ(file("fs_glob", {{"path", "/u/a"}}), "");
}

}  // namespace
}  // namespace ptcvm::chain
