#include "runtime/seal/key_ring.h"
#include "runtime/seal/ring_mode.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>

namespace ptc {
namespace {

constexpr std::int64_t kRingTime = 1'800'000'000;
constexpr const char* kSecret = "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=";
// The public half of that seed, and of none of the others.
constexpr const char* kPublic = "A6EHv/POEL4dcN0Y50vAmWfk1jCbpQ1fHdyGZBJVMbg=";

std::string key_text(std::string_view fields) {
  return R"({"keys": [{"id": "k", "created": "2026-01-01", )" + std::string(fields) + R"(}], "signing": null})";
}

std::string complaint(std::string_view text) {
  const auto parsed = KeyRing::parse(text);
  const auto* message = std::get_if<std::string>(&parsed);
  return message == nullptr ? "" : *message;
}

KeyRing ring_of(std::string_view text) {
  auto result = KeyRing::parse(text);
  if (const auto* message = std::get_if<std::string>(&result)) ADD_FAILURE() << *message;
  return std::move(std::get<KeyRing>(result));
}

class Folder {
 public:
  Folder() : path_(std::filesystem::temp_directory_path() / ("key_ring_test_" + std::to_string(getpid()))) {
    std::filesystem::create_directory(path_);
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  std::string file(const std::string& name) const { return path_ / name; }
  std::size_t count() const {
    return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(path_), {}));
  }

 private:
  std::filesystem::path path_;
};

std::string contents(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

unsigned mode_of(const std::string& path) {
  struct stat status {};
  EXPECT_EQ(stat(path.c_str(), &status), 0);
  return status.st_mode & 0777u;
}

TEST(KeyRing, ReadsBackWhatItWrites) {
  KeyRing keys;
  ASSERT_EQ(keys.rotate({"first", SealAlgorithm::HmacSha256, kRingTime, {}}), std::nullopt);
  ASSERT_EQ(keys.rotate({"second", SealAlgorithm::Ed25519, kRingTime, kRingTime + 1000}), std::nullopt);
  ASSERT_EQ(keys.rotate({"third", SealAlgorithm::Ed25519, kRingTime, {}}), std::nullopt);
  ASSERT_EQ(keys.revoke("second"), std::nullopt);
  const KeyRing again = ring_of(keys.text());
  EXPECT_EQ(again.text(), keys.text());
  ASSERT_EQ(again.keys().size(), 3u);
  EXPECT_EQ(again.signing()->id, "third");
  EXPECT_EQ(again.find("first")->state, KeyState::VerifyOnly);
  EXPECT_EQ(again.find("second")->state, KeyState::Revoked);
  EXPECT_EQ(again.find("second")->not_after_seconds, kRingTime + 1000);
  EXPECT_EQ(again.find("third")->created_seconds, kRingTime);
  EXPECT_EQ(again.find("third")->secret.bytes(), keys.find("third")->secret.bytes());
  EXPECT_EQ(again.find("third")->public_key, keys.find("third")->public_key);
  EXPECT_EQ(ring_of(KeyRing().text()).keys().size(), 0u);
}

TEST(KeyRing, NotesAreKept) {
  const KeyRing keys = ring_of(key_text(R"("algorithm": "hmac-sha256", "state": "active", "note": "of \"Ada\"",
                                          "secret": ")" + std::string(kSecret) + '"'));
  EXPECT_EQ(ring_of(keys.text()).find("k")->note, "of \"Ada\"");
}

TEST(KeyRing, TwoFreshKeysDiffer) {
  const auto first = make_key({"a", SealAlgorithm::Ed25519, kRingTime, {}});
  const auto second = make_key({"a", SealAlgorithm::Ed25519, kRingTime, {}});
  EXPECT_NE(first->secret.bytes(), second->secret.bytes());
  EXPECT_NE(first->public_key, second->public_key);
}

TEST(KeyRing, ThePublicHalfHasNoSecrets) {
  KeyRing keys;
  ASSERT_EQ(keys.rotate({"shared", SealAlgorithm::HmacSha256, kRingTime, {}}), std::nullopt);
  ASSERT_EQ(keys.rotate({"pair", SealAlgorithm::Ed25519, kRingTime, {}}), std::nullopt);
  ASSERT_EQ(keys.rotate({"gone", SealAlgorithm::Ed25519, kRingTime, {}}), std::nullopt);
  ASSERT_EQ(keys.revoke("gone"), std::nullopt);
  const KeyRing half = keys.public_half();
  EXPECT_EQ(half.text().find("secret"), std::string::npos);
  const KeyRing again = ring_of(half.text());
  ASSERT_EQ(again.keys().size(), 2u);
  EXPECT_EQ(again.find("pair")->public_key, keys.find("pair")->public_key);
  EXPECT_EQ(again.find("pair")->state, KeyState::VerifyOnly);
  EXPECT_EQ(again.find("gone")->state, KeyState::Revoked);      // what is revoked stays so for others
  EXPECT_EQ(again.signing(), nullptr);
}

TEST(KeyRing, ASecretIsZeroedWhenItIsMovedAway) {
  auto key = make_key({"a", SealAlgorithm::HmacSha256, kRingTime, {}});
  const SecretKey taken(std::move(key->secret));
  EXPECT_TRUE(taken.present());
  EXPECT_FALSE(key->secret.present());
  EXPECT_EQ(key->secret.bytes(), KeyBytes());
}

TEST(KeyRing, ChangesThatAreRefusedChangeNothing) {
  KeyRing keys;
  ASSERT_EQ(keys.rotate({"a", SealAlgorithm::HmacSha256, kRingTime, {}}), std::nullopt);
  const std::string before = keys.text();
  EXPECT_EQ(keys.rotate({"a", SealAlgorithm::HmacSha256, kRingTime, {}}), "key a is there already");
  const std::string bad_id = "a key id is 1 to 64 letters, digits, and . _ -";
  EXPECT_EQ(keys.rotate({"", SealAlgorithm::HmacSha256, kRingTime, {}}), bad_id);
  EXPECT_EQ(keys.rotate({"b c", SealAlgorithm::HmacSha256, kRingTime, {}}), bad_id);
  EXPECT_EQ(keys.rotate({"b", SealAlgorithm::HmacSha256, kRingTime, kRingTime}), "key b ends before it begins");
  EXPECT_EQ(keys.revoke("b"), "there is no key b");
  EXPECT_EQ(keys.sign_with("b"), "there is no key b");
  EXPECT_EQ(keys.text(), before);
  ASSERT_EQ(keys.revoke("a"), std::nullopt);
  EXPECT_EQ(keys.signing(), nullptr);
  EXPECT_EQ(keys.sign_with("a"), "key a is revoked");
}

TEST(KeyRing, BrokenTextsAreRefusedWithTheirReason) {
  const std::string secret = R"(, "secret": ")" + std::string(kSecret) + '"';
  const std::string hmac = R"("algorithm": "hmac-sha256", "state": "active")";
  const std::string pair = R"("algorithm": "ed25519", "state": "active")";
  ASSERT_EQ(complaint(key_text(hmac + secret)), "");
  ASSERT_EQ(complaint(key_text(pair + secret)), "");
  ASSERT_EQ(complaint(key_text(pair + R"(, "public": ")" + kPublic + '"')), "");
  ASSERT_EQ(complaint(key_text(pair + secret + R"(, "public": ")" + kPublic + '"')), "");
  const std::pair<std::string, std::string> cases[] = {
      {"", "no JSON: "},
      {"{", "no JSON: "},
      {"{} x", "no JSON: "},
      {R"({"keys": [], "a name with no value": })", "no JSON: "},   // what was read of it is freed
      {"[]", "a key ring is an object"},
      {"{}", "keys must be a list"},
      {R"({"keys": [1]})", "keys[0] must be an object"},
      {R"({"keys": [], "singing": "a"})", "unknown field \"singing\""},
      {R"({"keys": [], "signing": "a"})", "signing: there is no key a"},
      {R"({"keys": [], "signing": 1})", "signing must be the id of a key"},
      {R"({"keys": [{}]})", "keys[0]: id is missing"},
      {R"({"keys": [{"id": 7}]})", "keys[0]: id must be a string"},
      {key_text(R"("state": "active")"), "key k: algorithm is missing"},
      {key_text(R"("algorithm": "md5", "state": "active")"), "key k: algorithm must be hmac-sha256 or ed25519"},
      {key_text(R"("algorithm": "ed25519", "state": "on")"), "key k: state must be active, verify-only or revoked"},
      {key_text(hmac), "key k: secret is missing"},
      {key_text(pair), "key k: public is missing"},
      {key_text(hmac + R"(, "secret": "AAEC")"), "key k: secret must be 32 bytes in base64"},
      {key_text(hmac + R"(, "secret": "!")"), "key k: secret must be 32 bytes in base64"},
      {key_text(hmac + R"(, "secret": ")" + kSecret + "AAAA\""), "key k: secret must be 32 bytes in base64"},
      {key_text(hmac + secret + R"(, "public": ")" + kPublic + '"'), "key k: an hmac-sha256 key has no public half"},
      {key_text(pair + secret + R"(, "public": ")" + kSecret + '"'), "key k: public does not belong to secret"},
      {key_text(hmac + secret + R"(, "not-after": "2027-01-01")"), "key k: unknown field \"not-after\""},
      {key_text(hmac + secret + R"(, "not_after": "soon")"), "key k: not_after must be a date"},
      {key_text(hmac + secret + R"(, "not_after": "2025-01-01")"), "key k ends before it begins"},
      {R"({"keys": [{"id": "a b", "created": "2026-01-01", )" + hmac + secret + "}]}", "a key id is 1 to 64"},
      {std::string(kMaxKeyRingBytes + 1, ' '), "the file is too large"},
      {std::string(100'000, '['), "no JSON: "},
  };
  for (const auto& [text, message] : cases) {
    EXPECT_EQ(complaint(text).substr(0, message.size()), message) << text.substr(0, 200);
  }
  std::string twice = key_text(hmac + secret);
  const std::size_t begin = twice.find("[{") + 1, end = twice.find("}]") + 1;
  twice.insert(end, ", " + twice.substr(begin, end - begin));
  EXPECT_EQ(complaint(twice), "key k is there already");
  std::string signing = key_text(pair + R"(, "public": ")" + kPublic + '"');
  signing.replace(signing.find("null"), 4, "\"k\"");
  EXPECT_EQ(complaint(signing), "signing: key k has no secret and cannot sign");
}

TEST(KeyRing, NoComplaintShowsASecret) {
  const std::string broken = key_text(R"("algorithm": "hmac-sha256", "state": "active", "secret": ")" +
                                      std::string(kSecret).substr(0, 40) + '"');
  EXPECT_EQ(complaint(broken).find("AAECAw"), std::string::npos);
}

TEST(KeyRing, FilesArePrivateAndReplacedWhole) {
  const Folder folder;
  const std::string path = folder.file("ring.json");
  KeyRing keys;
  ASSERT_EQ(keys.rotate({"a", SealAlgorithm::HmacSha256, kRingTime, {}}), std::nullopt);
  ASSERT_EQ(keys.save(path, false), std::nullopt);
  EXPECT_EQ(mode_of(path), 0600u);
  EXPECT_EQ(contents(path), keys.text());
  ASSERT_EQ(keys.rotate({"b", SealAlgorithm::HmacSha256, kRingTime, {}}), std::nullopt);
  EXPECT_NE(keys.save(path, false), std::nullopt);
  EXPECT_EQ(contents(path).find("\"b\""), std::string::npos);
  ASSERT_EQ(chmod(path.c_str(), 0644), 0);
  ASSERT_EQ(keys.save(path, true), std::nullopt);
  EXPECT_EQ(mode_of(path), 0600u);
  EXPECT_EQ(folder.count(), 1u);
  const auto loaded = KeyRing::load(path);
  ASSERT_TRUE(std::holds_alternative<KeyRing>(loaded));
  EXPECT_EQ(std::get<KeyRing>(loaded).text(), keys.text());
}

TEST(KeyRing, AFileThatOthersReadOrWriteIsRefused) {
  const Folder folder;
  const std::string path = folder.file("my ring.json");
  KeyRing keys;
  ASSERT_EQ(keys.rotate({"a", SealAlgorithm::Ed25519, kRingTime, {}}), std::nullopt);
  ASSERT_EQ(keys.save(path, false), std::nullopt);
  ASSERT_EQ(chmod(path.c_str(), 0640), 0);
  EXPECT_NE(std::get<std::string>(KeyRing::load(path)).find("`chmod 600 '" + path + "'`"), std::string::npos);
  ASSERT_EQ(keys.public_half().save(path, true), std::nullopt);
  ASSERT_EQ(chmod(path.c_str(), 0644), 0);
  EXPECT_TRUE(std::holds_alternative<KeyRing>(KeyRing::load(path)));
  ASSERT_EQ(chmod(path.c_str(), 0664), 0);
  EXPECT_NE(std::get<std::string>(KeyRing::load(path)).find("can write this key ring"), std::string::npos);
}

TEST(KeyRing, TheModeThatIsTakenDependsOnOwnerSecretsAndFileSystem) {
  struct Row {
    mode_t mode;
    bool mine, read_only, secrets, is_taken;
  };
  for (const Row& row : {Row{0600, true, false, true, true}, Row{0400, true, false, true, true},
                         Row{0640, true, false, true, false}, Row{0604, true, false, true, false},
                         Row{0620, true, false, false, false}, Row{0644, true, false, false, true},
                         Row{0602, true, false, false, false}, Row{0640, false, false, true, true},
                         Row{0644, false, false, true, false}, Row{0660, false, false, true, false},
                         Row{0644, false, false, false, true}, Row{0444, true, true, true, true},
                         Row{0777, false, true, true, true}}) {
    const std::string problem = ring_mode_problem("r", {row.mode, row.mine, row.read_only, row.secrets});
    EXPECT_EQ(problem.empty(), row.is_taken) << std::oct << row.mode << ": " << problem;
  }
}

TEST(KeyRing, FilesThatCannotBeReadSayWhy) {
  const Folder folder;
  const auto message = [](const std::string& path) { return std::get<std::string>(KeyRing::load(path)); };
  EXPECT_EQ(message(folder.file("none")), "cannot read " + folder.file("none") + ": No such file or directory");
  std::ofstream(folder.file("bad")) << "{}";
  EXPECT_EQ(message(folder.file("bad")), folder.file("bad") + ": keys must be a list");
  std::ofstream(folder.file("large")) << std::string(kMaxKeyRingBytes + 10, ' ');
  EXPECT_EQ(message(folder.file("large")), folder.file("large") + ": the file is too large for a key ring");
  EXPECT_NE(KeyRing().save(folder.file("no/such/folder"), true), std::nullopt);
}

}  // namespace
}  // namespace ptc
