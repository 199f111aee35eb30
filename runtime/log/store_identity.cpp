#include "runtime/log/store_identity.h"

#include <sodium.h>

#include <array>

namespace ptc {
namespace {

constexpr std::string_view kKey = "host/store";
constexpr int kMostLogs = 100;

StoreResult<std::string> identity_in(FactStore& store, const std::string& log, std::int64_t now_ms) {
  auto known = store.find(log, kKey);
  if (auto* error = std::get_if<StoreError>(&known)) return std::move(*error);
  if (const auto& fact = std::get<std::optional<Fact>>(known)) return fact->id;
  Fact made;
  made.kind = FactKind::HostNoted;
  made.author = FactAuthor::Host;
  made.time_ms = now_ms;
  made.key = kKey;
  made.id = fresh_identity();
  auto put = store.put(log, Cut::blind(), {&made, 1}, Durability::Now);   // the first one counts
  if (auto* error = std::get_if<StoreError>(&put)) return std::move(*error);
  return std::get<Written>(put).puts.front().fact.id;
}

}   // namespace

std::string fresh_identity() {
  std::array<unsigned char, 16> bytes{};
  randombytes_buf(bytes.data(), bytes.size());
  std::string out(2 * bytes.size() + 1, '\0');
  sodium_bin2hex(out.data(), out.size(), bytes.data(), bytes.size());
  out.pop_back();
  return out;
}

StoreResult<std::string> store_identity(FactStore& store, std::int64_t now_ms) {
  std::string log(kIdentityLog);
  for (int i = 2;; ++i) {
    auto out = identity_in(store, log, now_ms);
    const auto* const error = std::get_if<StoreError>(&out);
    if (error == nullptr || error->kind != StoreError::Kind::Seal || i > kMostLogs) return out;
    log = std::string(kIdentityLog) + '/' + std::to_string(i);   // that log is of another ring or tenant, or not sealed
  }
}

}   // namespace ptc
