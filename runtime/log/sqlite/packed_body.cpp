#include "runtime/log/sqlite/packed_body.h"

#include <zlib.h>

#include <algorithm>
#include <array>
#include <new>

#include "runtime/log/fact.h"

namespace ptc {
namespace {

constexpr std::array<std::uint8_t, 4> kMark{'P', 'T', 'Z', 1};
constexpr std::size_t kHeadBytes = kMark.size() + 4;
// The largest body of a fact: its texts, and what FlatBuffers has around them.
constexpr std::size_t kMostBodyBytes = kMaxFactTextBytes + 4'096;
// A stream of zlib gives at most so many bytes for each of its own.
constexpr std::size_t kMostBytesPerByte = 1'032;

bool is_packed(std::span<const std::uint8_t> stored) {
  return stored.size() >= kHeadBytes && std::equal(kMark.begin(), kMark.end(), stored.begin());
}

}  // namespace

// The buffer is as large as the body, and pages of it that nobody writes to take no memory.
PackedBody::PackedBody(std::span<const std::uint8_t> body) : stored_(body) {
  if (body.size() <= kMostPlainBodyBytes || body.size() > kMostBodyBytes) return;
  packed_ = std::make_unique_for_overwrite<std::uint8_t[]>(body.size());
  uLongf size = body.size() - kHeadBytes;
  const int code = compress2(packed_.get() + kHeadBytes, &size, body.data(), body.size(), Z_DEFAULT_COMPRESSION);
  if (code != Z_OK) {   // the stream does not fit: nothing is won
    packed_.reset();
    return;
  }
  std::copy(kMark.begin(), kMark.end(), packed_.get());
  for (std::size_t i = 0; i < 4; ++i) packed_[kMark.size() + i] = static_cast<std::uint8_t>(body.size() >> (8 * i));
  stored_ = {packed_.get(), kHeadBytes + size};
}

UnpackedBody::UnpackedBody(std::span<const std::uint8_t> stored) {
  if (!is_packed(stored)) {
    bytes_ = stored;
    return;
  }
  std::size_t size = 0;
  for (std::size_t i = 0; i < 4; ++i) size |= std::size_t{stored[kMark.size() + i]} << (8 * i);
  damage_ = unpack(stored.subspan(kHeadBytes), size);
}

std::string_view UnpackedBody::unpack(std::span<const std::uint8_t> stream, std::size_t size) {
  if (size > kMostBodyBytes) return "its packed body says that it is larger than a fact can be";
  if (size / kMostBytesPerByte > stream.size()) return "its packed body says more than its stream can give";
  unpacked_ = std::make_unique_for_overwrite<std::uint8_t[]>(size);
  uLongf given = size;
  uLong taken = stream.size();
  const int code = uncompress2(unpacked_.get(), &given, stream.data(), &taken);
  if (code == Z_MEM_ERROR) throw std::bad_alloc();
  if (code == Z_BUF_ERROR && given == size) return "its packed body does not end where it says";
  if (code != Z_OK) return "its packed body is cut or changed";
  if (given != size) return "its packed body is shorter than it says";
  if (taken != stream.size()) return "there are bytes behind its packed body";
  bytes_ = {unpacked_.get(), size};
  return {};
}

}  // namespace ptc
