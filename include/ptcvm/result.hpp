// A Result<T> holds a value, or an Error that says what the host did wrong or what failed around it. The failure of a
// guest program is not an Error; the state of its run says so (run.hpp).
//
//   if (auto program = engine.compile(text)) use(*program); else log(program.error().message);
//
// The library throws only when value() is called on a result that holds an error.
#pragma once
#include <boost/assert/source_location.hpp>
#include <boost/system/result.hpp>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

#include "ptcvm/config.hpp"
#include "ptcvm/diagnostic.hpp"

namespace ptcvm {

// The kind of an error. A host decides by it.
enum class Errc : std::uint8_t {
  invalid_program,      // the source cannot be compiled (the diagnostic says where), or the bytes are not a program
  invalid_value,        // the text is not EDN or JSON, or the value has another shape
  invalid_signature,    // the text is not a signature; the message says where
  invalid_snapshot,     // the bytes are not a snapshot, are damaged, or have a newer format
  refused,              // tools of the snapshot are missing or changed here; the decision is about other arguments; or
                        // the run went to another store
  unknown_operation,    // no operation of that id waits
  already_resolved,     // the operation was resolved before, in another way
  too_large,            // there are more bytes than the call allows
  wrong_state,          // the call makes no sense now; for example, the run is over or is not suspended
  busy,                 // another process executes the run
  store_failed,         // the disk, the file or the database failed; the message says how
  not_available,        // this build of the library cannot do that
  invalid_key_ring,     // the file cannot be read or is not a key ring; or the ring refuses the change
  seal_refused,         // the bytes were not sealed, or not opened; Error::detail says why
};
PTCVM_API const char* errc_name(Errc code);   // returns "invalid_program" and so on

// Says what the host did wrong, or what failed around it. An Error owns its texts.
struct Error {
  Errc code{};                             // see Errc
  std::string message;                     // one sentence for people
  std::optional<Diagnostic> diagnostic;    // kind, position and hint, when a program is wrong
  // The stable name of the kind within the code, or "": "rolled_back" and others for seal_refused (sealing.hpp),
  // "store_io", "store_full" and others for store_failed; "snapshot_missing_program" and others when a snapshot is
  // refused; the fault for a refused resolution. The name lives as long as the library.
  std::string_view detail = {};
};

// Holds a T or an Error. error() returns a copy: keep the copy, not a reference into it.
template <class T>
using Result = boost::system::result<T, Error>;

// The exception that value() throws when the result holds an error.
class PTCVM_API BadResult : public std::runtime_error {
 public:
  // Keeps the code of the error; what() returns its message.
  explicit BadResult(const Error& error) : std::runtime_error(error.message), code_(error.code) {}
  Errc code() const { return code_; }      // returns the code of the error

 private:
  Errc code_;
};
// Throws BadResult. Boost.System calls this function from value(); hosts need not call it.
[[noreturn]] PTCVM_API void throw_exception_from_error(const Error& error, const boost::source_location& where);

}  // namespace ptcvm
