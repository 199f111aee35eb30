#include "tools/ptcvm/text/kept_limits.h"

#include <boost/json/serialize.hpp>

#include "schema/limits.h"

namespace ptcvm::cli {
namespace {

template <class To, class From>
To copied(const From& from) {
  To out;
  ptc::for_each_limit_of(out, from, [](const ptc::LimitInfo&, auto& member, const auto& value) { member = value; });
  return out;
}

}  // namespace

Limits smaller_limits(const Limits& a, const Limits& b) {
  return copied<Limits>(ptc::smaller(copied<ptc::Limits>(a), copied<ptc::Limits>(b)));
}

std::string larger_limit(const Limits& limits, const Limits& most) {
  std::string found;
  const Limits bounded = smaller_limits(limits, most);
  ptc::for_each_limit_of(limits, bounded, [&](const ptc::LimitInfo& limit, const auto& value, const auto& bound) {
    if (value == bound || !found.empty()) return;
    found = std::string(limit.name) + " is " + std::to_string(value) + ", and at most " + std::to_string(bound);
  });
  return found;
}

boost::json::object write_limits(const Limits& limits, const Limits& usual) {
  boost::json::object out;
  ptc::for_each_limit_of(limits, usual, [&](const ptc::LimitInfo& limit, const auto& value, const auto& other) {
    if (value != other) out[limit.name] = value;
  });
  return out;
}

Limits read_limits(const boost::json::object& written, const Limits& usual) {
  auto out = copied<ptc::Limits>(usual);
  for (const auto& [name, value] : written) {
    const ptc::LimitInfo* const limit = ptc::find_limit(std::string_view(name), ptc::LimitPlace::Option);
    if (limit != nullptr) ptc::set_limit(out, *limit, boost::json::serialize(value));
  }
  return copied<Limits>(out);
}

}  // namespace ptcvm::cli
