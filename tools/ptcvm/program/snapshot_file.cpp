#include "tools/ptcvm/program/snapshot_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>

#include "ptcvm/run.hpp"
#include "ptcvm/sealing.hpp"
#include "ptcvm/snapshot_view.hpp"
#include "tools/ptcvm/process/files.h"
#include "tools/ptcvm/store/store_options.h"

namespace ptcvm::cli {
namespace {

constexpr std::size_t kMostSealBytes = std::size_t{1} << 16;   // more than an envelope adds to a snapshot

std::span<const std::byte> bytes_of(std::string_view text) { return std::as_bytes(std::span(text)); }
std::string_view text_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// Nothing when the ring cannot be read; `message` then says why.
std::optional<KeyRing> read_ring(const std::string& path, std::string& message) {
  auto ring = KeyRing::load(path);
  if (ring) return std::move(*ring);
  message = ring.error().message;
  return std::nullopt;
}

// Nothing when nothing can be sealed with the ring.
std::optional<KeyRing> read_signing_ring(const std::string& path, std::string& message) {
  auto ring = read_ring(path, message);
  if (!ring || ring->can_seal()) return ring;
  message = path + " has no key that signs";
  return std::nullopt;
}

// A file that is no snapshot, or is too large, is refused without its rest in memory.
bool goes_on_reading(std::string_view so_far) {
  constexpr std::size_t kBlock = std::size_t{1} << 16, kHead = std::size_t{1} << 20;   // JSON names its format there
  if (so_far.size() > kMostSnapshotBytes + kMostSealBytes) return false;
  const bool is_looked_at = so_far.size() <= kBlock || (so_far.size() > kHead && so_far.size() <= kHead + kBlock);
  return !is_looked_at || looks_sealed(bytes_of(so_far)) || may_be_snapshot(bytes_of(so_far));
}

std::string refusal_text(const Error& error) { return std::string(error.detail) + ": " + error.message; }

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

// Writes a file with what the function hands to its sink. When the function fails for a reason of its own, it sets the
// message.
//
// Beside it under a name of its own, then renamed: readers see the old one or the new one, writers do not meet. What
// was written lasts when this returns.
bool replace_file(const std::string& path, const std::function<bool(const ByteSink&)>& write, std::string& message) {
  const bool in_place = is_special(path);
  const std::string place = behind_links(path);
  std::string draft = place + ".XXXXXX";
  const int file = in_place ? open(path.c_str(), O_WRONLY | O_CLOEXEC) : mkostemp(draft.data(), O_CLOEXEC);
  const ByteSink sink = [file](std::span<const std::byte> piece) { return write_whole(file, text_of(piece)); };
  bool written = file >= 0 && write(sink) && (in_place || fsync(file) == 0);
  bool renamed = false;
  if (written && !in_place) written = renamed = std::rename(draft.c_str(), place.c_str()) == 0;
  if (renamed) written = sync_folder_of(place);
  if (!written && message.empty()) message = "cannot write " + path + ": " + std::strerror(errno);
  if (file >= 0) close(file);
  if (file >= 0 && !renamed && !in_place) unlink(draft.c_str());
  return written;
}

}  // namespace

void declare_seal_options(CLI::App& command, SealOptions& options) {
  command
      .add_option("--keys", options.keys,
                  "Key ring: only snapshots and runs that it sealed are taken, and what is written is sealed")
      ->type_name("RING");
  command.add_option("--tenant", options.tenant, "Whose snapshots and runs these are");
  command.add_option("--expect-run", options.expected_run, "Refuse snapshots of other runs (with --keys)")
      ->type_name("ID");
  command.add_option("--expect-sequence", options.expected_sequence,
                     "Refuse any other snapshot of the run than this one; with --store: a run of another number of "
                     "facts (with --keys)")
      ->type_name("N");
}

std::optional<SnapshotFile> read_snapshot_file(const std::string& path, const SealOptions& options,
                                               std::string& message) {
  auto text = read_while(path, message, [](std::string_view so_far) { return goes_on_reading(so_far); });
  if (!text) return std::nullopt;
  const bool sealed = looks_sealed(bytes_of(*text));
  if (options.keys.empty()) {
    if (!sealed) return SnapshotFile{std::move(*text), std::nullopt};
    message = path + " is sealed: give its key ring with --keys";
    return std::nullopt;
  }
  const auto ring = read_ring(options.keys, message);
  if (!ring) return std::nullopt;
  std::optional<std::string_view> expected_run;
  if (options.expected_run) expected_run = *options.expected_run;
  const std::string tenant = ring_tenant(options.tenant);
  const auto checked = check_sealed(
      bytes_of(*text), *ring,
      {.tenant = tenant, .run_id = expected_run, .sequence = options.expected_sequence});
  if (!checked) {
    message = path + ": " + refusal_text(checked.error());
    return std::nullopt;
  }
  const auto begin = static_cast<std::size_t>(checked->payload.data() - bytes_of(*text).data());
  text->resize(begin + checked->payload.size());   // the payload stays in the memory of the envelope
  text->erase(0, begin);
  return SnapshotFile{std::move(*text), checked->sequence};
}

bool write_whole_file(const std::string& path, std::string_view bytes, std::string& message) {
  return replace_file(path, [bytes](const ByteSink& sink) { return sink(bytes_of(bytes)); }, message);
}

bool can_seal(const SealOptions& options, std::string& message) {
  return options.keys.empty() || read_signing_ring(options.keys, message).has_value();
}

bool write_snapshot_file(const std::string& path, const Run& run, bool self_contained, const SealOptions& options,
                         std::uint64_t sequence, std::string& message) {
  const auto write_plain = [&](const ByteSink& sink) { return run.write_snapshot(sink, self_contained); };
  if (options.keys.empty()) return replace_file(path, write_plain, message);
  const auto ring = read_signing_ring(options.keys, message);
  if (!ring) return false;
  const std::string tenant = ring_tenant(options.tenant);
  const SealLabel label{.tenant = tenant, .run_id = run.id(), .sequence = sequence};
  const auto write_sealed = [&](const ByteSink& sink) {
    const auto written = run.write_sealed_snapshot(sink, *ring, label, self_contained);
    if (!written && written.error().code == Errc::seal_refused) message = refusal_text(written.error());
    return bool(written);
  };
  return replace_file(path, write_sealed, message);
}

bool write_snapshot_bytes(const std::string& path, std::vector<std::byte> bytes, std::string_view run_id,
                          const SealOptions& options, std::uint64_t sequence, std::string& message) {
  if (!options.keys.empty()) {
    const auto ring = read_signing_ring(options.keys, message);
    if (!ring) return false;
    const std::string tenant = ring_tenant(options.tenant);
    auto sealed = seal(bytes, *ring, {.tenant = tenant, .run_id = run_id, .sequence = sequence});
    if (!sealed) return message = refusal_text(sealed.error()), false;
    bytes = *std::move(sealed);
  }
  return write_whole_file(path, text_of(bytes), message);
}

}  // namespace ptcvm::cli
