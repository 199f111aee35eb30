// What tests of the C API share: handles that free themselves, and an error that is freed and remembered.
#pragma once
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <string_view>

#include "ptcvm/ptcvm.h"

namespace ptcvm {

inline ptcvm_text text(std::string_view s) { return {s.data(), s.size()}; }
inline std::string str(ptcvm_text t) { return std::string(t.data == nullptr ? "" : t.data, t.size); }

// Owns a TYPE* that is freed by `free_it`.
template <class T, void (*free_it)(T*)>
class Owned {
 public:
  Owned() = default;
  Owned(Owned&& moved) noexcept : handle_(std::exchange(moved.handle_, nullptr)) {}
  Owned& operator=(Owned&& moved) noexcept {
    std::swap(handle_, moved.handle_);
    return *this;
  }
  ~Owned() { free_it(handle_); }
  operator T*() const { return handle_; }   // NOLINT
  T** out() {
    free_it(std::exchange(handle_, nullptr));
    return &handle_;
  }

 private:
  T* handle_ = nullptr;
};
using CEngine = Owned<ptcvm_engine, ptcvm_engine_free>;
using CProgram = Owned<ptcvm_program, ptcvm_program_free>;
using CTools = Owned<ptcvm_tools, ptcvm_tools_free>;
using CRun = Owned<ptcvm_run, ptcvm_run_free>;
using CSession = Owned<ptcvm_session, ptcvm_session_free>;
using CStore = Owned<ptcvm_store, ptcvm_store_free>;
using CStored = Owned<ptcvm_stored, ptcvm_stored_free>;
using CStoredRuns = Owned<ptcvm_stored_runs, ptcvm_stored_runs_free>;
using CValue = Owned<ptcvm_value, ptcvm_value_free>;
using CEntries = Owned<ptcvm_entries, ptcvm_entries_free>;
using CWriter = Owned<ptcvm_writer, ptcvm_writer_free>;
using CBuffer = Owned<ptcvm_buffer, ptcvm_buffer_free>;
using CTexts = Owned<ptcvm_texts, ptcvm_texts_free>;
using CError = Owned<ptcvm_error, ptcvm_error_free>;

template <class T>
T initialised() {
  T out;
  PTCVM_INIT(out);
  return out;
}
inline std::string edn(ptcvm_view view) {
  CBuffer out;
  EXPECT_EQ(ptcvm_view_edn(view, out.out(), nullptr), PTCVM_OK);
  return str(ptcvm_buffer_text(out));
}

class CApiTest : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(ptcvm_engine_new(nullptr, engine_.out(), nullptr), PTCVM_OK);
    ASSERT_EQ(ptcvm_tools_new(tools_.out(), nullptr), PTCVM_OK);
  }
  CProgram compiled(std::string_view source) {
    CProgram program;
    EXPECT_EQ(ptcvm_engine_compile(engine_, text(source), nullptr, program.out(), error_.out()), PTCVM_OK) << message();
    return program;
  }
  CRun started(std::string_view source, ptcvm_run_options options = initialised<ptcvm_run_options>()) {
    CRun run;
    options.tools = tools_;
    EXPECT_EQ(ptcvm_run_start(engine_, compiled(source), &options, run.out(), error_.out()), PTCVM_OK) << message();
    return run;
  }
  CRun restored(std::string_view snapshot) {
    auto options = initialised<ptcvm_restore_options>();
    options.tools = tools_;
    CRun run;
    EXPECT_EQ(ptcvm_run_restore(engine_, text(snapshot), &options, run.out(), error_.out()), PTCVM_OK) << message();
    return run;
  }
  std::string snapshot(ptcvm_run* run) {
    CBuffer out;
    EXPECT_EQ(ptcvm_run_snapshot(run, 0, out.out(), nullptr), PTCVM_OK);
    return str(ptcvm_buffer_text(out));
  }
  void tool(std::string_view name, std::string_view signature, ptcvm_call_fn callback, void* data = nullptr,
            ptcvm_tool_options options = initialised<ptcvm_tool_options>()) {
    EXPECT_EQ(ptcvm_tools_add(tools_, text(name), text(signature), callback, data, nullptr, &options, error_.out()),
              PTCVM_OK) << message();
  }
  void deferred(std::string_view name, int32_t mode = PTCVM_SYNC) {
    auto options = initialised<ptcvm_tool_options>();
    options.mode = mode;
    EXPECT_EQ(ptcvm_tools_defer(tools_, text(name), text(""), &options, error_.out()), PTCVM_OK) << message();
  }
  std::string message() const { return str(ptcvm_error_message(error_)); }
  // What the run failed with: "kind: message".
  static std::string fault(ptcvm_run* run) {
    auto seen = initialised<ptcvm_diagnostic>();
    if (ptcvm_run_diagnostic(run, &seen) == 0) return "";
    return str(seen.kind) + ": " + str(seen.message);
  }

  CError error_;
  CEngine engine_;
  CTools tools_;
};

}  // namespace ptcvm
