// Bytes are canonical: empty members are left out, the others are written in one order, nothing is shared. read_fact
// relies on it: what fact_bytes would not have written is refused, so bytes and facts are one to one, and nothing is
// silently dropped that a newer version may have added.
#include "runtime/log/fact.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "fact_generated.h"
#include "vm/value/utf8.h"

namespace ptc {
namespace {

constexpr std::uint16_t kFormat = 1;
constexpr auto kAuthors = std::to_array<std::string_view>({"program", "host", "outside", "person"});

using Text = flatbuffers::Offset<flatbuffers::String>;

Text text_of(flatbuffers::FlatBufferBuilder& builder, const std::string& text) {
  return text.empty() ? Text{} : builder.CreateString(text);
}

void take(std::string& out, const flatbuffers::String* text) {
  if (text != nullptr) out.assign(text->data(), text->size());
}

// Nothing is copied when it is given back: a fact is large, and a log is many of them.
std::optional<Fact> decoded(std::span<const std::uint8_t> bytes) {
  std::optional<Fact> out;
  flatbuffers::Verifier verifier(bytes.data(), bytes.size());
  if (!schema::VerifyFactBuffer(verifier)) return out;
  const schema::Fact& stored = *schema::GetFact(bytes.data());
  if (stored.format() != kFormat || stored.kind() >= kFacts.size()) return out;
  if (static_cast<std::size_t>(stored.author()) >= kAuthors.size()) return out;
  Fact& fact = out.emplace();
  fact.kind = static_cast<FactKind>(stored.kind());
  fact.author = static_cast<FactAuthor>(stored.author());
  fact.time_ms = stored.time_ms();
  fact.writer = stored.writer();
  fact.number = stored.number();
  take(fact.source, stored.source());
  take(fact.key, stored.key());
  take(fact.id, stored.id());
  take(fact.value, stored.value());
  take(fact.text, stored.text());
  take(fact.status, stored.status());
  take(fact.tool, stored.tool());
  take(fact.args, stored.args());
  take(fact.effect, stored.effect());
  take(fact.idempotency_key, stored.idempotency_key());
  take(fact.task, stored.task());
  take(fact.errors, stored.errors());
  return out;
}

// Returns about how many bytes the fact becomes. A builder that grows has its bytes twice meanwhile.
std::size_t room_for(const Fact& fact) {
  constexpr std::size_t kRest = 512;
  return kRest + fact.source.size() + fact.value.size() + fact.text.size() + fact.args.size() + fact.errors.size();
}

std::span<const std::uint8_t> encoded(flatbuffers::FlatBufferBuilder& builder, const Fact& fact,
                                      std::uint64_t writer) {
  const Text source = text_of(builder, fact.source);
  const Text key = text_of(builder, fact.key);
  const Text id = text_of(builder, fact.id);
  const Text value = text_of(builder, fact.value);
  const Text text = text_of(builder, fact.text);
  const Text status = text_of(builder, fact.status);
  const Text tool = text_of(builder, fact.tool);
  const Text args = text_of(builder, fact.args);
  const Text effect = text_of(builder, fact.effect);
  const Text idempotency_key = text_of(builder, fact.idempotency_key);
  const Text task = text_of(builder, fact.task);
  const Text errors = text_of(builder, fact.errors);
  schema::FinishFactBuffer(
      builder, schema::CreateFact(builder, kFormat, static_cast<std::uint16_t>(fact.kind),
                                  static_cast<schema::Author>(fact.author), source, fact.time_ms, writer, key, id,
                                  value, text, status, tool, args, effect, idempotency_key, task, fact.number,
                                  errors));
  return {builder.GetBufferPointer(), builder.GetSize()};
}

bool is_canonical(const Fact& fact, std::span<const std::uint8_t> bytes) {
  flatbuffers::FlatBufferBuilder builder(room_for(fact));
  return std::ranges::equal(encoded(builder, fact, fact.writer), bytes);
}

}  // namespace

std::string_view fact_author_name(FactAuthor author) { return kAuthors[static_cast<std::size_t>(author)]; }

bool is_storable(const Fact& fact) {
  if (static_cast<std::size_t>(fact.kind) >= kFacts.size()) return false;
  if (static_cast<std::size_t>(fact.author) >= kAuthors.size()) return false;
  std::size_t left = kMaxFactTextBytes;
  for (const std::string* text : {&fact.key, &fact.source, &fact.id, &fact.value, &fact.text, &fact.status, &fact.tool,
                                  &fact.args, &fact.effect, &fact.idempotency_key, &fact.task, &fact.errors}) {
    if (text->size() > left || !utf8_is_valid(*text)) return false;
    left -= text->size();
  }
  return true;
}

std::vector<std::uint8_t> fact_bytes(const Fact& fact) { return fact_bytes(fact, fact.writer); }

std::vector<std::uint8_t> fact_bytes(const Fact& fact, std::uint64_t writer) {
  flatbuffers::FlatBufferBuilder builder(room_for(fact));
  const std::span<const std::uint8_t> bytes = encoded(builder, fact, writer);
  return {bytes.begin(), bytes.end()};
}

std::optional<Fact> read_fact(std::span<const std::uint8_t> bytes) {
  if (bytes.size() < 8) return std::nullopt;
  std::vector<std::uint64_t> aligned;
  if (reinterpret_cast<std::uintptr_t>(bytes.data()) % 8 != 0) {   // numbers are read where they lie
    aligned.resize((bytes.size() + 7) / 8);
    std::memcpy(aligned.data(), bytes.data(), bytes.size());
    bytes = {reinterpret_cast<const std::uint8_t*>(aligned.data()), bytes.size()};
  }
  std::optional<Fact> fact = decoded(bytes);
  if (fact && !(is_storable(*fact) && is_canonical(*fact, bytes))) fact.reset();
  return fact;
}

}  // namespace ptc
