#include "agents/loop/doubt_names.h"

namespace ptcvm::loop {

std::string doubt_name(std::string_view call, std::uint32_t number) {
  std::string name = std::string(kDoubtName).append(call);
  return number < 2 ? name : name + "@" + std::to_string(number);
}

std::string doubted_call(std::string_view path) {
  const std::size_t name = path.rfind('/') + 1;   // 0 without a slash
  std::string_view call = path.substr(name);
  if (!call.starts_with(kDoubtName)) return {};
  call.remove_prefix(kDoubtName.size());
  return std::string(path.substr(0, name)).append(call.substr(0, call.find('@')));   // no name of a tool has an @
}

}  // namespace ptcvm::loop
