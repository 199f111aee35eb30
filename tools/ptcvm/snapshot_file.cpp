#include "runtime/engine/clock.h"
#include "tools/ptcvm/snapshot_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "runtime/seal/sealing.h"
#include "tools/ptcvm/files.h"

namespace ptcvm::cli {
namespace {

std::span<const std::uint8_t> bytes_of(std::string_view text) {
  return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

// A multiple of 16, where envelopes and snapshots are read in place.
std::string_view aligned_copy(std::vector<std::uint64_t>& storage, std::string_view bytes) {
  storage.assign(bytes.size() / 8 + 3, 0);
  const std::size_t skip = reinterpret_cast<std::uintptr_t>(storage.data()) % 16 == 0 ? 0 : 1;
  char* const begin = reinterpret_cast<char*>(storage.data() + skip);
  if (!bytes.empty()) std::memcpy(begin, bytes.data(), bytes.size());
  return {begin, bytes.size()};
}

bool write_whole(int file, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = write(file, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

// A device or a pipe stays what it is.
bool is_special(const std::string& path) {
  struct stat found {};
  return stat(path.c_str(), &found) == 0 && !S_ISREG(found.st_mode) && !S_ISDIR(found.st_mode);
}

// What a link leads to is replaced, not the link.
std::string behind_links(const std::string& path) {
  char* const real = realpath(path.c_str(), nullptr);
  std::string place = real != nullptr ? real : path;
  std::free(real);
  return place;
}

// A name that was given lasts only once its folder was written, too.
bool sync_folder_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  const std::string folder = slash == std::string::npos ? "." : path.substr(0, slash + 1);
  const int handle = open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  const bool synced = handle >= 0 && fsync(handle) == 0;
  if (handle >= 0) close(handle);
  return synced;
}

// Beside it under a name of its own, then renamed: readers see the old one or the new one, writers do not meet. What
// was written lasts when this returns.
bool replace_file(const std::string& path, std::string_view bytes, std::string& message) {
  const bool in_place = is_special(path);
  const std::string place = behind_links(path);
  std::string draft = place + ".XXXXXX";
  const int file = in_place ? open(path.c_str(), O_WRONLY | O_CLOEXEC) : mkostemp(draft.data(), O_CLOEXEC);
  bool written = file >= 0 && write_whole(file, bytes) && (in_place || fsync(file) == 0);
  bool renamed = false;
  if (written && !in_place) written = renamed = std::rename(draft.c_str(), place.c_str()) == 0;
  if (renamed) written = sync_folder_of(place);
  if (!written) message = "cannot write " + path + ": " + std::strerror(errno);
  if (file >= 0) close(file);
  if (file >= 0 && !renamed && !in_place) unlink(draft.c_str());
  return written;
}

}  // namespace

void declare_seal_options(CLI::App& command, SealOptions& options) {
  auto* keys = command.add_option("--keys", options.keys, "Key ring: only snapshots that it sealed are taken, and "
                                                          "those that are written are sealed")
                   ->type_name("RING");
  command.add_option("--tenant", options.tenant, "Whose snapshots these are (with --keys)")->needs(keys);
  command.add_option("--expect-run", options.expected_run, "Refuse snapshots of other runs (with --keys)")
      ->type_name("ID")
      ->needs(keys);
  command.add_option("--expect-sequence", options.expected_sequence,
                     "Refuse any other snapshot of the run than this one (with --keys)")
      ->type_name("N")
      ->needs(keys);
}

std::optional<SnapshotFile> read_snapshot_file(const std::string& path, const SealOptions& options,
                                               std::string& message) {
  const auto text = read_file(path, message);
  if (!text) return std::nullopt;
  SnapshotFile file;
  file.bytes = aligned_copy(file.storage, *text);
  const bool sealed = ptc::looks_sealed(bytes_of(file.bytes));
  if (options.keys.empty()) {
    if (!sealed) return file;
    message = path + " is sealed: give its key ring with --keys";
    return std::nullopt;
  }
  auto ring = ptc::KeyRing::load(options.keys);
  if (auto* problem = std::get_if<std::string>(&ring)) {
    message = *problem;
    return std::nullopt;
  }
  std::optional<std::string_view> expected_run;
  if (options.expected_run) expected_run = *options.expected_run;
  const ptc::OpenRequest request{.tenant = options.tenant,
                                 .expected_run_id = expected_run,
                                 .expected_sequence = options.expected_sequence,
                                 .keys = std::get<ptc::KeyRing>(ring),
                                 .now_seconds = ptc::system_seconds()};
  const auto opened = ptc::open_sealed(bytes_of(file.bytes), request);
  if (const auto* failure = std::get_if<ptc::SealFailure>(&opened)) {
    message = path + ": " + std::string(ptc::seal_error_name(failure->error)) + ": " + failure->message;
    return std::nullopt;
  }
  const auto& envelope = std::get<ptc::OpenedEnvelope>(opened);
  file.sequence = envelope.sequence;
  file.bytes = {reinterpret_cast<const char*>(envelope.payload.data()), envelope.payload.size()};
  return file;
}

bool write_snapshot_file(const std::string& path, std::string_view bytes, const SealOptions& options,
                         std::string_view run_id, std::uint64_t sequence, std::string& message) {
  if (options.keys.empty()) return replace_file(path, bytes, message);
  auto ring = ptc::KeyRing::load(options.keys);
  if (auto* problem = std::get_if<std::string>(&ring)) {
    message = *problem;
    return false;
  }
  const ptc::SealingKey* const key = std::get<ptc::KeyRing>(ring).signing();
  if (key == nullptr) {
    message = options.keys + " has no key that signs";
    return false;
  }
  const auto sealed = ptc::seal(bytes_of(bytes), {.tenant = options.tenant,
                                                  .run_id = run_id,
                                                  .sequence = sequence,
                                                  .key = *key,
                                                  .now_seconds = ptc::system_seconds()});
  if (const auto* failure = std::get_if<ptc::SealFailure>(&sealed)) {
    message = std::string(ptc::seal_error_name(failure->error)) + ": " + failure->message;
    return false;
  }
  const auto& envelope = std::get<std::vector<std::uint8_t>>(sealed);
  return replace_file(path, {reinterpret_cast<const char*>(envelope.data()), envelope.size()}, message);
}

}  // namespace ptcvm::cli
