#include "drivers/http/web_exchange.h"

#include <algorithm>

#include "drivers/http/web_target.h"

namespace ptcvm::drivers {

std::string_view WebRequest::header(std::string_view name) const {
  const auto found = std::ranges::find(headers, name, &WebHeaders::value_type::first);
  return found == headers.end() ? std::string_view{} : std::string_view(found->second);
}

std::string WebRequest::query_value(std::string_view name) const {
  std::string_view rest = query;
  while (!rest.empty()) {
    const std::string_view member = rest.substr(0, rest.find('&'));
    rest.remove_prefix(std::min(member.size() + 1, rest.size()));
    const std::size_t equals = member.find('=');
    if (equals == std::string_view::npos || member.substr(0, equals) != name) continue;
    return percent_decoded(member.substr(equals + 1)).value_or("");
  }
  return {};
}

}  // namespace ptcvm::drivers
