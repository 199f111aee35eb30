#include "tools/ptcvm/store/postgres_place.h"

#include <iostream>

#include "tools/ptcvm/commands.h"
#include "tools/ptcvm/process/terminal.h"

#ifdef PTCVM_HAVE_POSTGRES
#include "ptcvm/postgres.hpp"
#endif

namespace ptcvm::cli {
namespace {

[[maybe_unused]] constexpr std::string_view kWithout =
    "this ptcvm has no stores in PostgreSQL: it was built without libpq";

// Returns whether a parameter of a URL is a password or the like. A name may be written with %.
bool may_be_secret(std::string_view name) {
  for (const std::string_view part : {"%", "password", "secret", "scram"}) {
    if (name.find(part) != std::string_view::npos) return true;
  }
  return false;
}

#ifdef PTCVM_HAVE_POSTGRES
// A database without a store, or with one of another version, is bad input. All else is a failure of the machine.
int status_of(const Error& error) { return error.detail == "store_version" ? kBadInput : kStoreFailed; }

int refuse_place(const std::string& url, const Error& error) {
  complain(shown_place(url) + ": " + error.message);
  return status_of(error);
}
#endif

}   // namespace

bool is_postgres_url(std::string_view text) {
  return text.starts_with("postgresql://") || text.starts_with("postgres://");
}

std::string shown_place(std::string_view text) {
  if (!is_postgres_url(text)) return std::string(text);
  const std::size_t begin = text.find("://") + 3, words = text.find('?');
  std::string out(text.substr(0, words));
  const std::size_t at = out.find('@', begin), colon = out.find(':', begin);
  if (at != std::string::npos && colon < at) out.erase(colon, at - colon);
  if (words == std::string_view::npos) return out;
  char mark = '?';
  for (std::string_view rest = text.substr(words + 1); !rest.empty();) {
    const std::size_t end = rest.find('&');
    const std::string_view word = rest.substr(0, end);
    rest = end == std::string_view::npos ? std::string_view() : rest.substr(end + 1);
    if (may_be_secret(word.substr(0, word.find('=')))) continue;
    out.append(1, mark).append(word);
    mark = '&';
  }
  return out;
}

#ifdef PTCVM_HAVE_POSTGRES

std::optional<Store> open_postgres_place(const StoreOptions& options, std::string& message, int& status) {
  status = kBadInput;
  if (options.group) {
    message = "--durability group is for an SQLite file: how durable a commit in PostgreSQL is says its server";
    return std::nullopt;
  }
  PostgresOptions wanted;
  if (!read_store_keys(options, wanted.keys, message)) return std::nullopt;
  wanted.tenant = ring_tenant(options.tenant);
  auto opened = open_postgres(options.path, wanted);
  if (opened) return std::move(*opened);
  message = shown_place(options.path) + ": " + opened.error().message;
  status = status_of(opened.error());
  return std::nullopt;
}

int migrate_place(const std::string& url) {
  const auto before = migrate_postgres(url);
  if (!before) return refuse_place(url, before.error());
  std::cout << (*before == 0 ? "made the store" : "the store is up to date; it had version " + std::to_string(*before))
            << '\n';
  return kSuccess;
}

int check_place(const std::string& url) {
  const auto findings = check_postgres(url);
  if (!findings) return refuse_place(url, findings.error());
  bool is_refused = false;
  for (const PostgresFinding& each : *findings) {
    std::cout << (each.is_refused ? "refused: " : "warning: ") << each.message << '\n';
    is_refused = is_refused || each.is_refused;
  }
  if (const auto store = open_postgres(url); !store) {
    std::cout << "refused: " << store.error().message << '\n';
    is_refused = true;
  }
  if (!is_refused) std::cout << "the store can be used\n";
  return is_refused ? kStoreFailed : kSuccess;
}

int print_sql() {
  std::cout << postgres_sql();
  return kSuccess;
}

#else

std::optional<Store> open_postgres_place(const StoreOptions&, std::string& message, int& status) {
  message = kWithout;
  status = kBadInput;
  return std::nullopt;
}

int migrate_place(const std::string&) { return refuse_input(kWithout); }
int check_place(const std::string&) { return refuse_input(kWithout); }
int print_sql() { return refuse_input(kWithout); }

#endif

}   // namespace ptcvm::cli
