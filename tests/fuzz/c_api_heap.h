// The handles that a sequence of calls of the C API works with: a few places for each type. A place that is empty when
// a handle is drawn is filled first, so that short sequences get far.
#pragma once
#include <array>
#include <cstddef>
#include <deque>
#include <string>
#include <tuple>

#include "fuzz/call_script.h"
#include "ptcvm/ptcvm.h"

namespace ptc::fuzz {

template <class Handle>
class CHandles {
 public:
  using Free = void (*)(Handle*);
  explicit CHandles(Free free) : free_(free) {}
  ~CHandles() { clear(); }
  CHandles(const CHandles&) = delete;
  CHandles& operator=(const CHandles&) = delete;

  Handle*& place(std::size_t index) { return places_[index % places_.size()]; }
  void keep(std::size_t index, Handle* handle) {
    free_(place(index));
    place(index) = handle;
  }
  void clear() {
    for (Handle*& handle : places_) {
      free_(handle);
      handle = nullptr;
    }
  }

 private:
  const Free free_;
  std::array<Handle*, 3> places_{};
};

class CHeap {
 public:
  explicit CHeap(CallScript& script);
  ~CHeap();                        // frees everything; the data of each tool must be given back then
  CHeap(const CHeap&) = delete;
  CHeap& operator=(const CHeap&) = delete;

  CallScript& script() { return script_; }

  // Draws a handle, or NULL in one of eight cases.
  template <class Handle>
  Handle* draw() {
    if (script_.one_in(8)) return nullptr;
    const std::size_t index = script_.below(3);
    Handle*& place = handles<Handle>().place(index);
    if (place == nullptr) make(place);
    return handles<Handle>().place(index);
  }
  template <class Handle>
  void keep(Handle* handle) {
    handles<Handle>().keep(script_.below(3), handle);
  }
  // Takes the handle of a place out of the heap; it may be NULL.
  template <class Handle>
  Handle* take() {
    Handle*& place = handles<Handle>().place(script_.below(3));
    Handle* const taken = place;
    place = nullptr;
    return taken;
  }

  // Texts live until forget_texts(), views as long as their values.
  ptcvm_text text();
  ptcvm_view view();
  void forget_texts() { texts_.clear(); }
  ptcvm_call_fn callback();        // may be NULL; gets the heap as its data
  void add_tool();                 // ptcvm_tools_add()
  void resolve_all();              // ptcvm_run_resolve_all()

 private:
  static void answer(void* heap, ptcvm_call* call);
  static void destroy(void* heap) { ++static_cast<CHeap*>(heap)->destroyed_; }
  void add_tool(ptcvm_tools* tools, ptcvm_text name, ptcvm_text signature, const ptcvm_tool_options* options);
  template <class Handle>
  CHandles<Handle>& handles() {
    return std::get<CHandles<Handle>>(handles_);
  }
  void make(ptcvm_engine*& place);
  void make(ptcvm_program*& place);
  void make(ptcvm_tools*& place);
  void make(ptcvm_run*& place);
  void make(ptcvm_session*& place);
  void make(ptcvm_store*& place);
  void make(ptcvm_stored*& place);
  void make(ptcvm_stored_runs*& place);
  void make(ptcvm_stepper*& place);
  void make(ptcvm_value*& place);
  void make(ptcvm_writer*& place);
  void make(ptcvm_buffer*& place);
  void make(ptcvm_texts*& place);
  void make(ptcvm_key_ring*& place);
  void make(ptcvm_opened*& place);
  void make(ptcvm_snapshot*& place);
  void make(ptcvm_error*& place);

  CallScript& script_;
  bool is_called_back_ = false;    // a callback uses no run
  std::size_t added_ = 0, destroyed_ = 0;   // tools with callbacks, and those whose data was given back
  std::deque<std::string> texts_;  // texts that text() made
  std::tuple<CHandles<ptcvm_engine>, CHandles<ptcvm_program>, CHandles<ptcvm_tools>, CHandles<ptcvm_run>,
             CHandles<ptcvm_session>, CHandles<ptcvm_store>, CHandles<ptcvm_stored>, CHandles<ptcvm_stored_runs>,
             CHandles<ptcvm_stepper>, CHandles<ptcvm_value>, CHandles<ptcvm_writer>, CHandles<ptcvm_buffer>,
             CHandles<ptcvm_texts>, CHandles<ptcvm_key_ring>, CHandles<ptcvm_opened>, CHandles<ptcvm_snapshot>,
             CHandles<ptcvm_error>>
      handles_;
};

// Reads what a borrowed text or view shows, so that a sanitizer sees bytes that are gone.
void look_at(ptcvm_text text);
void look_at(ptcvm_view view);

// Makes one call after another until the bytes are used up.
void try_c_calls(std::string_view bytes);

}  // namespace ptc::fuzz
