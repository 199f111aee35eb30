#include "vm/exec/prelude.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <variant>

#include "prelude_bytes.h"

namespace ptc {
namespace {

std::shared_ptr<const Program> load(std::span<const std::uint8_t> bytes) {
  auto loaded = Program::from_bytes(bytes);
  if (auto* program = std::get_if<std::shared_ptr<const Program>>(&loaded)) return std::move(*program);
  (void)std::fputs(std::get<ProgramError>(loaded).message.c_str(), stderr);   // a broken build: no input gets here
  std::abort();
}

const std::vector<std::shared_ptr<const Program>>& kept_preludes() {
  static const std::vector<std::shared_ptr<const Program>> all = [] {
    std::vector<std::shared_ptr<const Program>> loaded;
    for (const std::span<const std::uint8_t> bytes : kKeptPreludes) loaded.push_back(load(bytes));
    return loaded;
  }();
  return all;
}

bool is_named(const Program& prelude, std::span<const std::uint8_t> sha256) {
  const auto& ours = prelude.encoded().sha256;
  return std::equal(sha256.begin(), sha256.end(), ours.begin(), ours.end());
}

}  // namespace

const std::shared_ptr<const Program>& own_prelude() {
  static const std::shared_ptr<const Program> prelude = load(kOwnPrelude);
  return prelude;
}

std::shared_ptr<const Program> find_prelude(std::span<const std::uint8_t> sha256) {
  if (is_named(*own_prelude(), sha256)) return own_prelude();
  for (const auto& prelude : kept_preludes()) {
    if (is_named(*prelude, sha256)) return prelude;
  }
  return nullptr;
}

}  // namespace ptc
