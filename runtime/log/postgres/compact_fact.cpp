#include "runtime/log/postgres/compact_fact.h"

#include <array>
#include <bit>
#include <utility>

#include "runtime/log/fact_json.h"

namespace ptc {
namespace {

constexpr char kFactMark = 1;
constexpr std::array kTexts{&Fact::source, &Fact::key,    &Fact::id,   &Fact::value,  &Fact::text,
                            &Fact::status, &Fact::tool,   &Fact::args, &Fact::effect, &Fact::idempotency_key,
                            &Fact::task,   &Fact::errors};
constexpr std::uint64_t kHasWriter = std::uint64_t{1} << kTexts.size(), kHasNumber = kHasWriter << 1;
constexpr std::uint64_t kAuthors = 4;

static_assert(sizeof(Fact) == 5 * sizeof(std::uint64_t) + kTexts.size() * sizeof(std::string),
              "a member of a fact that is not here would be lost");

void append_varint(std::string& out, std::uint64_t number) {
  for (; number > 127; number >>= 7) out += static_cast<char>(number | 128);
  out += static_cast<char>(number);
}

// Near to zero on either side is a small number.
std::uint64_t folded(std::int64_t number) {
  return (static_cast<std::uint64_t>(number) << 1) ^ static_cast<std::uint64_t>(number >> 63);
}
std::int64_t unfolded(std::uint64_t number) {
  return static_cast<std::int64_t>((number >> 1) ^ (~(number & 1) + 1));
}

class CompactReader {
 public:
  explicit CompactReader(std::string_view bytes) : left_(bytes) {}

  // Gives 0 once something was wrong.
  std::uint64_t number() {
    std::uint64_t out = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
      if (left_.empty()) return fail();
      const auto byte = static_cast<std::uint8_t>(left_.front());
      left_.remove_prefix(1);
      if (shift == 63 && byte > 1) return fail();
      out |= std::uint64_t{byte & 127U} << shift;
      if (byte < 128) return byte == 0 && shift != 0 ? fail() : out;   // the shortest form only
    }
    return fail();
  }
  std::string_view text() {
    const std::uint64_t size = number();
    if (size == 0 || size > left_.size()) {
      fail();
      return {};
    }
    const std::string_view out = left_.substr(0, size);
    left_.remove_prefix(size);
    return out;
  }
  bool is_good() const { return is_good_; }
  bool is_at_end() const { return is_good_ && left_.empty(); }

 private:
  std::uint64_t fail() {
    is_good_ = false;
    left_ = {};
    return 0;
  }

  std::string_view left_;
  bool is_good_ = true;
};

std::size_t text_bytes(const Fact& fact) {
  std::size_t out = 0;
  for (const auto text : kTexts) out += (fact.*text).size();
  return out;
}

}   // namespace

bool is_compact(std::string_view stored) { return !stored.empty() && stored.front() == kFactMark; }

std::string compact_fact(const Fact& fact, std::uint64_t writer) {
  std::uint64_t members = (writer != 0 ? kHasWriter : 0) | (fact.number != 0 ? kHasNumber : 0);
  for (std::size_t i = 0; i < kTexts.size(); ++i) {
    if (!(fact.*kTexts[i]).empty()) members |= std::uint64_t{1} << i;
  }
  std::string out;
  out.reserve(64 + text_bytes(fact));
  out += kFactMark;
  append_varint(out, static_cast<std::uint64_t>(fact.kind) * kAuthors + static_cast<std::uint64_t>(fact.author));
  append_varint(out, folded(fact.time_ms));
  append_varint(out, members);
  if (writer != 0) append_varint(out, writer);
  if (fact.number != 0) append_varint(out, fact.number);
  for (const auto text : kTexts) {
    if ((fact.*text).empty()) continue;
    append_varint(out, (fact.*text).size());
    out += fact.*text;
  }
  return out;
}

std::optional<Fact> read_compact(std::string_view stored) {
  if (!is_compact(stored)) return std::nullopt;
  CompactReader in(stored.substr(1));
  std::optional<Fact> out;
  const std::uint64_t kind_and_author = in.number();
  if (kind_and_author / kAuthors >= kFacts.size()) return std::nullopt;
  const std::int64_t time_ms = unfolded(in.number());
  const std::uint64_t members = in.number();
  if (members >= kHasNumber << 1) return std::nullopt;
  Fact& fact = out.emplace();
  fact.kind = static_cast<FactKind>(kind_and_author / kAuthors);
  fact.author = static_cast<FactAuthor>(kind_and_author % kAuthors);
  fact.time_ms = time_ms;
  if ((members & kHasWriter) != 0) fact.writer = in.number();
  if ((members & kHasNumber) != 0) fact.number = in.number();
  const bool has_needless = ((members & kHasWriter) != 0 && fact.writer == 0) ||
                            ((members & kHasNumber) != 0 && fact.number == 0);
  for (std::size_t i = 0; i < kTexts.size() && in.is_good(); ++i) {
    if ((members >> i & 1) != 0) fact.*kTexts[i] = in.text();
  }
  if (has_needless || !in.is_at_end() || !is_storable(fact)) out.reset();
  return out;
}

std::optional<Fact> read_stored(std::string_view stored) {
  if (is_compact(stored)) return read_compact(stored);
  // FlatBuffers wants its bytes aligned, and a row is not.
  const std::vector<std::uint8_t> aligned(stored.begin(), stored.end());
  std::optional<Fact> fact = read_fact(aligned);
  if (!fact && stored.starts_with('{')) {
    std::string ignored;
    fact = read_fact_json(stored, ignored);
    if (fact && fact->kind != FactKind::RunStarted) fact.reset();
  }
  return fact;
}

std::vector<std::uint8_t> sealed_bytes(std::string_view stored) {
  if (const auto fact = read_compact(stored)) return fact_bytes(*fact);
  return {stored.begin(), stored.end()};
}

}   // namespace ptc
