#include "tools/ptcvm/worker/worker_host_ends.h"

#include <array>
#include <utility>

namespace ptcvm::cli {
namespace {

// Those that a worker does not answer by asking again.
constexpr std::array<std::string_view, 5> kStoreErrors{"store_fenced", "store_unknown", "store_corrupt", "store_misuse",
                                                       "store_missing"};

HostTurnEnd turn_of(HostTurnEnd::Kind kind, std::string why) {
  HostTurnEnd end;
  end.kind = kind;
  end.text = std::move(why);
  return end;
}

}  // namespace

HostTurnEnd turn_given_up(std::string why) { return turn_of(HostTurnEnd::Kind::GivenUp, std::move(why)); }

HostTurnEnd turn_failed(std::string why) { return turn_of(HostTurnEnd::Kind::Failed, std::move(why)); }

HostTurnEnd turn_refused(const Error& error) {
  // What a seal refuses is looked at by the worker, too: another one may have the key.
  if (error.code != Errc::store_failed && error.code != Errc::seal_refused) return turn_given_up(error.message);
  HostTurnEnd end = turn_of(HostTurnEnd::Kind::StoreFailed, error.message);
  end.error = error;
  return end;
}

HostTurnEnd turn_in_the_middle(std::string why) {
  HostTurnEnd end = turn_of(HostTurnEnd::Kind::AsLogSays, std::move(why));
  end.is_in_the_middle = true;
  return end;
}

HostTurnEnd turn_ended() {
  HostTurnEnd end;
  end.has_ended = true;
  return end;
}

HostTurnEnd turn_of_store_error(std::string_view name, const std::string& message) {
  if (!name.starts_with("store_")) return turn_given_up(std::string(name) + ": " + message);
  Error error{Errc::store_failed, message, std::nullopt, {}};
  for (const std::string_view known : kStoreErrors) {
    if (name == known) error.detail = known;
  }
  return turn_refused(error);
}

}  // namespace ptcvm::cli
