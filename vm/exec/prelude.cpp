#include "vm/exec/prelude.h"

#include <cstdio>
#include <cstdlib>

#include "prelude_bytes.h"
#include "vm/exec/run_impl.h"

namespace ptc {

const std::shared_ptr<const Program>& prelude_program() {
  static const std::shared_ptr<const Program> program = [] {
    auto loaded = Program::from_bytes({kPreludeBytes, kPreludeSize});
    if (auto* ok = std::get_if<std::shared_ptr<const Program>>(&loaded)) return *ok;
    std::fputs(std::get<ProgramError>(loaded).message.c_str(), stderr);   // a broken build, never reachable from input
    std::abort();
  }();
  return program;
}

// Names inside of the prelude are its own functions; they are bound once a run needs the first of them.
const Closure* RunImpl::prelude_closure(BuiltinId id) {
  if (prelude == nullptr) {
    prelude = &link(prelude_program());
  }
  const std::string_view name = builtin_info(id).name;
  static const std::unordered_map<std::string_view, std::uint32_t> index_of = [] {
    std::unordered_map<std::string_view, std::uint32_t> index;
    const Program& data = *prelude_program();
    for (const Prototype& function : data.functions) {
      if (function.upvalue_count == 0 && function.index != 0 && !function.name.empty()) {
        index.try_emplace(function.name, function.index);
      }
    }
    return index;
  }();
  const auto at = index_of.find(name);
  return at == index_of.end() ? nullptr : function_closure(*prelude, at->second);
}

}  // namespace ptc
