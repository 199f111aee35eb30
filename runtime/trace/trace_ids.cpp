#include "runtime/trace/trace_ids.h"

#include <sodium/crypto_hash_sha256.h>

#include <array>

#include "schema/ascii.h"

namespace ptc {
namespace {

constexpr std::size_t kTraceIdBytes = 16, kSpanIdBytes = 8;

// The first bytes of the hash. Ids of zeros alone are invalid; no text is known that gives one.
std::string hash_id(const std::string& text, std::size_t bytes) {
  std::array<unsigned char, crypto_hash_sha256_BYTES> hash;
  crypto_hash_sha256(hash.data(), reinterpret_cast<const unsigned char*>(text.data()), text.size());
  std::string out;
  append_hex(out, {reinterpret_cast<const char*>(hash.data()), bytes});
  return out;
}

// With its length, so that no two lists of parts are the same text.
void append_sized(std::string& out, std::string_view part) {
  out.append(std::to_string(part.size())).append(":").append(part);
}

}  // namespace

std::string trace_id_of(std::string_view run) {
  std::string text = "ptcvm trace ";
  append_sized(text, run);
  return hash_id(text, kTraceIdBytes);
}

std::string SpanIds::of(const TraceSpan& span) {
  std::string text = "ptcvm span ";
  append_sized(text, run_);
  append_sized(text, span_kind_name(span.kind));
  append_sized(text, span.id);
  const bool recurs = span.kind == SpanKind::Tool || span.kind == SpanKind::Task || span.kind == SpanKind::Pause;
  if (recurs) append_sized(text, std::to_string(span.begin_us));
  std::string id = hash_id(text, kSpanIdBytes);
  while (!given_.insert(id).second) {
    append_sized(text, "again");
    id = hash_id(text, kSpanIdBytes);
  }
  return id;
}

}  // namespace ptc
