// Key rings as files. A ring is replaced by renaming a complete new file over it, so that no reader sees half a ring
// and a crash loses no key.
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>

#include "runtime/seal/key_ring.h"
#include "runtime/seal/ring_mode.h"
#include "runtime/text/secret_text.h"

namespace ptc {
namespace {

class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (number_ >= 0) close(number_);
  }
  int get() const { return number_; }

 private:
  int number_;
};

std::string reason(std::string_view what, const std::string& path) {
  return std::string(what) + " " + path + ": " + std::strerror(errno);
}

// At most kMaxKeyRingBytes + 1, so that the reader of the text refuses what is longer.
bool read_all(int file, std::string& text) {
  text.resize(kMaxKeyRingBytes + 1);
  std::size_t filled = 0;
  while (filled < text.size()) {
    const ssize_t got = read(file, text.data() + filled, text.size() - filled);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return false;
    if (got == 0) break;
    filled += static_cast<std::size_t>(got);
  }
  text.resize(filled);
  return true;
}

bool write_all(int file, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = write(file, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return fsync(file) == 0;
}

bool sync_folder_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  const std::string folder = slash == std::string::npos ? "." : slash == 0 ? "/" : path.substr(0, slash);
  const Descriptor opened(open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  return opened.get() >= 0 && fsync(opened.get()) == 0;
}

std::optional<std::string> create(const std::string& path, std::string_view text) {
  const Descriptor file(open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, S_IRUSR | S_IWUSR));
  if (file.get() < 0) return reason("cannot make", path);
  if (write_all(file.get(), text) && sync_folder_of(path)) return std::nullopt;
  const std::string message = reason("cannot write", path);
  unlink(path.c_str());
  return message;
}

std::optional<std::string> replace_whole(const std::string& path, std::string_view text) {
  std::string fresh = path + ".XXXXXX";
  const Descriptor file(mkostemp(fresh.data(), O_CLOEXEC));      // made with mode 0600
  if (file.get() < 0) return reason("cannot write beside", path);
  if (write_all(file.get(), text) && std::rename(fresh.c_str(), path.c_str()) == 0 && sync_folder_of(path)) {
    return std::nullopt;
  }
  const std::string message = reason("cannot write", path);
  unlink(fresh.c_str());
  return message;
}

// Returns why the mode of the open file is refused, or "".
std::string refused_mode(int file, const std::string& path, const KeyRing& ring) {
  struct stat found {};
  struct statvfs system {};
  if (fstat(file, &found) != 0 || fstatvfs(file, &system) != 0) return reason("cannot read the mode of", path);
  const bool has_secrets =
      std::ranges::any_of(ring.keys(), [](const SealingKey& key) { return key.secret.present(); });
  const bool is_read_only = (system.f_flag & ST_RDONLY) != 0;
  return ring_mode_problem(path, {found.st_mode, found.st_uid == geteuid(), is_read_only, has_secrets});
}

// Returns the text as one word of a shell.
std::string quoted(std::string_view text) {
  std::string word = "'";
  for (const char c : text) word.append(c == '\'' ? "'\\''" : std::string(1, c));
  return word + "'";
}

}  // namespace

std::string ring_mode_problem(std::string_view path, const RingFile& file) {
  constexpr mode_t kOthersWrite = S_IWGRP | S_IWOTH, kOthersRead = S_IRGRP | S_IROTH;
  if (file.is_read_only) return "";
  const mode_t readers = !file.has_secrets ? 0 : file.is_of_this_user ? kOthersRead : S_IROTH;
  const bool is_written = (file.mode & kOthersWrite) != 0;
  if (!is_written && (file.mode & readers) == 0) return "";
  const std::string_view mode = !file.has_secrets ? "644" : file.is_of_this_user ? "600" : "640";
  std::string message = std::string(path) + ": others than its owner can ";
  message += is_written ? "write this key ring" : "read this key ring, which has secrets";
  message.append("; keep them out with `chmod ").append(mode).append(" ").append(quoted(path));
  return message + "`, and make new keys if others may have seen or changed these";
}

std::variant<KeyRing, std::string> KeyRing::load(const std::string& path) {
  const Descriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (file.get() < 0) return reason("cannot read", path);
  SecretText secret(kMaxKeyRingBytes + 1);
  if (!read_all(file.get(), secret.text)) return reason("cannot read", path);
  auto ring = parse(secret.text);
  if (auto* message = std::get_if<std::string>(&ring)) return path + ": " + *message;
  if (std::string refused = refused_mode(file.get(), path, std::get<KeyRing>(ring)); !refused.empty()) return refused;
  return ring;
}

std::optional<std::string> KeyRing::save(const std::string& path, bool replace) const {
  const SecretText secret(text());
  return replace ? replace_whole(path, secret.text) : create(path, secret.text);
}

}  // namespace ptc
