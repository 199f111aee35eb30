// Result<T>: a value, or an Error that says what the host did wrong or what failed around it. Failures of guest
// programs are no errors: they are outcomes (run.hpp).
//
//   if (auto program = engine.compile(text)) use(*program); else log(program.error().message);
//
// Nothing in this library throws unless value() is called on a result that holds an error.
#pragma once
#include <boost/assert/source_location.hpp>
#include <boost/system/result.hpp>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>

#include "ptcvm/config.hpp"
#include "ptcvm/diagnostic.hpp"

namespace ptcvm {

// What kind of error it is: what a host decides by.
enum class Errc : std::uint8_t {
  invalid_program,      // source that cannot be compiled (diagnostic says where), or bytes that are no program
  invalid_value,        // text that is no EDN or JSON, or a value of another shape
  invalid_signature,    // text that is no signature: the message says where
  invalid_snapshot,     // bytes that are no snapshot, damaged, or of a newer format
  refused,              // a snapshot whose tools are missing or changed here; a decision about other arguments
  unknown_operation,    // nothing waits under that id
  already_resolved,     // it was resolved otherwise before
  too_large,            // more bytes than the limit of the call
  wrong_state,          // the call makes no sense now: a run that is over, or not suspended
  busy,                 // another process executes the run
  store_failed,         // disk, file or database: the message says what
  not_available,        // this build of the library cannot do that
};
PTCVM_API const char* errc_name(Errc code);   // "invalid_program" and so on

// An error of the host, or of what is around it. Owns its texts.
struct Error {
  Errc code{};                             // see Errc
  std::string message;                     // one sentence for people
  std::optional<Diagnostic> diagnostic;    // of a program: kind, position, hint
};

// A T, or an Error. error() gives a copy: keep it, not a reference into it.
template <class T>
using Result = boost::system::result<T, Error>;

// What value() of a result with an error throws.
class PTCVM_API BadResult : public std::runtime_error {
 public:
  // Of that error: its message is what().
  explicit BadResult(const Error& error) : std::runtime_error(error.message), code_(error.code) {}
  Errc code() const { return code_; }      // of the error

 private:
  Errc code_;
};
// Throws BadResult: Boost.System calls it from value(); nobody else needs to.
[[noreturn]] PTCVM_API void throw_exception_from_error(const Error& error, const boost::source_location& where);

}  // namespace ptcvm
