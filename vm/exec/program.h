// A loaded program is immutable, verified, and shared by any number of runs and threads. Runs execute this form; the
// FlatBuffers form (schema/program.fbs) is for transport.
#pragma once
#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <variant>
#include <vector>

#include "schema/opcode.h"
#include "schema/source_span.h"
#include "vm/exec/made_once.h"
#include "vm/value/function.h"

namespace ptc {

namespace schema {
struct ProgramT;
}

class FrameStates;
class Program;

struct SpanEntry {
  std::uint32_t pc;
  SourceSpan span;
};

struct LocalName {
  std::string name;
  std::uint16_t reg;
  std::uint32_t from_pc, to_pc;
};

// A call that was compiled in place: it has no frame, and a stack of calls shows it nevertheless.
struct InlinedCall {
  std::string builtin;             // what was called; "": a function literal in the place of a function
  SourceSpan call;
  std::uint32_t function_begin = 0, function_end = 0;   // the function literal; empty: none
};

// One function of a program.
struct Prototype : FunctionInfo {
  Prototype();
  ~Prototype();
  Prototype(Prototype&& moved) noexcept;
  const Program* program = nullptr;
  std::uint32_t index = 0;
  std::uint32_t register_count = 0;
  std::uint32_t upvalue_count = 0;
  std::uint32_t param_count = 0;        // registers that a call fills: required, then the rest vector
  std::uint32_t unary_entry = 0;        // for [& rest]: the pc of calls with one argument, or 0
  std::vector<Instruction> code;        // as_compiled() undoes the changes of loading
  // For a call that needs only a frame; set once verified.
  static constexpr std::uint32_t kNotDirect = UINT32_MAX;
  const Instruction* direct_entry = nullptr;
  std::uint32_t direct_args = kNotDirect;   // the exact number of arguments
  std::uint32_t window_bytes = 0;           // the bytes of the callee's register and the registers above it
  std::vector<SpanEntry> spans;
  std::vector<LocalName> locals;
  std::uint32_t source_begin = 0, source_end = 0;
  SourceSpan span_at(std::uint32_t pc) const;
  // Returns what each register holds at each instruction; computed on first use, by any thread.
  const FrameStates& states() const;

 private:
  MadeOnce<FrameStates> states_;
};

// Returns the instruction as it was compiled. Loaded code has register operands as byte offsets, and fused
// instructions.
Instruction as_compiled(Instruction scaled);

// A constant as loaded data. Each run makes its own values from it.
struct ProgramConstant {
  enum class Kind : std::uint8_t { Nil, False, True, Int, Float, BigInt, String, Keyword, Regex, Vector, Map, Set };
  Kind kind{};
  std::int64_t integer = 0;
  double real = 0;
  std::string text;
  std::vector<std::uint32_t> items;
};

constexpr bool is_collection(const ProgramConstant& constant) {
  return constant.kind >= ProgramConstant::Kind::Vector;
}

// Says why bytes were refused. function and pc say where, when there is a place.
struct ProgramError {
  std::string message;
  std::uint32_t function = 0, pc = 0;
};

// A program as bytes (schema/program.fbs). Equal programs have equal bytes.
struct EncodedProgram {
  std::vector<std::uint8_t> bytes;
  std::array<std::uint8_t, 32> sha256;      // hashes the bytes without inlined calls, which are for people
  std::vector<std::uint8_t> packed;         // the bytes in the form of snapshots (packed_words.h)
};

class Program {
 public:
  // Loads output of the compiler. Only debug builds verify it, because the compiler is trusted and bytes are not. A
  // regular expression literal that RE2 refuses is an error here, too.
  static std::variant<std::shared_ptr<const Program>, ProgramError> from_compiler(const schema::ProgramT& compiled);
  // Loads bytes of any origin: the FlatBuffers verifier checks them, then our verifier.
  static std::variant<std::shared_ptr<const Program>, ProgramError> from_bytes(std::span<const std::uint8_t> bytes);

  const Prototype& entry() const { return functions[0]; }

  // Returns the bytes, which are made on first use, by any thread.
  const EncodedProgram& encoded() const;

  std::string engine, source_name, source;
  std::vector<Prototype> functions;
  std::vector<ProgramConstant> constants;
  std::vector<std::string> globals, tools;
  std::vector<std::uint16_t> builtins;      // the BuiltinId of each name that the program lists
  static constexpr std::size_t kMostInlinedCalls = 10'000;
  std::vector<InlinedCall> inlined;

  // Returns the first function of that name that closes over nothing and is not the entry.
  std::optional<std::uint32_t> function_named(std::string_view name) const;

 private:
  using FunctionNames = std::unordered_map<std::string_view, std::uint32_t>;

  MadeOnce<EncodedProgram> encoded_;
  MadeOnce<FunctionNames> function_names_;
};

// Returns the FlatBuffers bytes of a compiled program.
std::vector<std::uint8_t> program_bytes(const schema::ProgramT& compiled);

}  // namespace ptc
