// The objects that a sequence of calls of the C++ API works with: a few places for each type. A place that is empty
// when an object is drawn is filled first.
#pragma once
#include <array>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "fuzz/call_script.h"
#include "fuzz/fuzz_target.h"
#include "ptcvm/host_log.hpp"
#include "ptcvm/ptcvm.hpp"
#include "ptcvm/sealing.hpp"
#include "ptcvm/signature.hpp"
#include "ptcvm/snapshot_view.hpp"
#include "ptcvm/store.hpp"
#include "ptcvm/stored_run.hpp"

namespace ptcvm::fuzz {

using ptc::fuzz::CallScript;
using ptc::fuzz::promise;

class CppHeap {
 public:
  explicit CppHeap(CallScript& script) : script_(script) {}
  CppHeap(const CppHeap&) = delete;
  CppHeap& operator=(const CppHeap&) = delete;

  CallScript& script() { return script_; }

  // Returns an object of the type, or nullptr when it cannot be made.
  template <class T>
  T* draw() {
    std::optional<T>& place = std::get<Places<T>>(places_)[script_.below(2)];
    if (!place) make(place);
    return place ? &*place : nullptr;
  }
  // Puts the object of a result into a place. A failure must say why.
  template <class T>
  void keep(Result<T> result) {
    check(result);
    if (result) std::get<Places<T>>(places_)[script_.below(2)].emplace(*std::move(result));
  }
  template <class T>
  void drop() {
    std::get<Places<T>>(places_)[script_.below(2)].reset();
  }

  // A failure must have a message and a name.
  template <class T>
  void check(const Result<T>& result) {
    if (!result) check_error(result.error());
  }
  static void check_error(const Error& error);

  std::string text();
  std::string program();
  ValueView view();
  std::span<const std::byte> bytes();   // until the next bytes()
  void keep_bytes(std::vector<std::byte> bytes) { bytes_ = std::move(bytes); }

  Limits limits();
  ToolOptions tool_options();
  RunOptions run_options();
  StoredOptions stored_options();
  AnswerDetails details();
  std::vector<HostFact> facts();
  HostCut cut();

 private:
  template <class T>
  using Places = std::array<std::optional<T>, 2>;
  void make(std::optional<Engine>& place) { place.emplace(); }
  void make(std::optional<Program>& place);
  void make(std::optional<Tools>& place);
  void make(std::optional<Run>& place);
  void make(std::optional<Session>& place);
  void make(std::optional<Store>& place);
  void make(std::optional<StoredRun>& place);
  void make(std::optional<HostLog>& place);
  void make(std::optional<KeyRing>& place);
  void make(std::optional<Value>& place);
  void make(std::optional<Signature>& place);
  void make(std::optional<SnapshotView>& place);
  template <class T>
  static void put(std::optional<T>& place, Result<T> made) {
    if (made) place.emplace(*std::move(made));
  }
  ToolReply answer(ToolCall& call);

  CallScript& script_;
  std::vector<std::byte> bytes_;
  std::vector<Value> data_;      // what options look at
  std::uint64_t token_ = 0;             // the claim of a log that was granted last
  std::tuple<Places<Engine>, Places<Program>, Places<Tools>, Places<Value>,
             Places<KeyRing>, Places<Signature>, Places<SnapshotView>, Places<Store>,
             Places<HostLog>, Places<Run>, Places<Session>, Places<StoredRun>>
      places_;
  friend struct HostLogCalls;
};

// Makes one call after another until the bytes are used up.
void try_cpp_calls(std::string_view bytes);

}  // namespace ptcvm::fuzz
