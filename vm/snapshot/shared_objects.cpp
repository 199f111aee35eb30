#include "vm/snapshot/shared_objects.h"

#include "vm/exec/machine_state.h"
#include "vm/value/string.h"

namespace ptc {

SharedObjects::SharedObjects(const MachineView& run, const ValueWriter& linked) {
  for (const auto& [object, ordinal] : linked.ordinals()) met_[object].ordinal = ordinal;
  for (const Link& link : run.links()) {
    for (const Value& constant : link.constants) {
      if (constant.is_string()) texts_.emplace(string_view_of(constant), constant.object);
    }
  }
}

Met* SharedObjects::find(const Object* object) {
  if (!may_be_met_again(object)) return nullptr;
  const auto at = met_.find(object);
  return at == met_.end() ? nullptr : &at->second;
}

bool SharedObjects::is_shared(const Object* object) {
  const Met* const met = find(object);
  return met != nullptr && (met->is_linked() || met->times > 1);
}

const Object* SharedObjects::constant_text(std::string_view text) const {
  const auto at = texts_.find(text);
  return at == texts_.end() ? nullptr : at->second;
}

bool SharedObjects::leaf(Value value) {
  if (!value.is_heap()) return true;
  const Object* const object = value.object;
  bool is_new = true;
  if (may_be_met_again(object)) {
    Met& met = met_[object];
    is_new = ++met.times == 1 && !met.is_linked();
  }
  if (!is_new) return true;
  if (object->kind == Kind::KeyArray && (object->flags & KeyArray::kInterned) != 0) {
    key_arrays_.push_back(static_cast<const KeyArray*>(object));
  }
  return part_count(object) == 0;
}

}  // namespace ptc
