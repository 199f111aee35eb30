// Limits of one run. All of them hold across suspensions; a run that is restored gets the smaller of its own
// and the host's. Passing one ends the turn with the fault named here, at a position; what was recorded by
// then is kept. A limit out of its range is refused where it is given, with Errc::invalid_value.
//
// Made by tools/gen_limits from schema/limits.def. Do not edit.
#pragma once
#include <cstdint>

namespace ptcvm {

// The defaults suit a program that a model wrote. 0 is a limit unless the comment says otherwise.
struct Limits {
  // Bounds the work of a turn. A call, a jump, a step of a builtin and an element of bulk work take about one
  // unit each. Unit: units; 0 to 18446744073709551615. Fault: fuel_exhausted.
  std::uint64_t fuel = 100'000'000;
  // Bounds the bytes of the run's heap that are live at once. Unit: bytes; 0 to 18446744073709551615. Fault:
  // memory_exceeded.
  std::uint64_t memory_bytes = 268'435'456;
  // Bounds how deeply the calls of one fiber are nested. Unit: calls; 1 to 4294967295. Fault:
  // recursion_limit_exceeded.
  std::uint32_t depth = 2'000;
  // Bounds the jumps of one activation of a loop. Unit: jumps; 0 to 4294967295. Fault: loop_limit_exceeded.
  std::uint32_t loop = 10'000;
  // Bounds the tool calls of a turn. An answer from the cache does not count. Unit: calls; 0 to 4294967295.
  // Fault: tool_call_limit_exceeded.
  std::uint32_t tool_calls = 1'000;
  // Bounds the branches of one pmap or pcalls. Unit: branches; 0 to 4294967295. Fault:
  // parallel_capacity_exceeded.
  std::uint32_t parallel_branches = 10'000;
  // Bounds the operations that wait at once. Unit: operations; 0 to 4294967295. Fault:
  // pending_limit_exceeded.
  std::uint32_t pending_operations = 1'000;
  // Bounds how often a turn waits for operations. Unit: suspensions; 0 to 4294967295. Fault:
  // suspension_limit_exceeded.
  std::uint32_t suspensions = 10'000;
  // Bounds the UTF-8 bytes of one string. Unit: bytes; 0 to 18446744073709551615. Fault:
  // string_limit_exceeded.
  std::uint64_t string_bytes = 16'777'216;
  // Bounds the bits of one integer. 64 bits always fit. Unit: bits; 0 to 4294967295. Fault:
  // integer_limit_exceeded.
  std::uint32_t integer_bits = 65'536;
  // Bounds the UTF-8 bytes of all prints together. Unit: bytes; 0 to 18446744073709551615. Fault:
  // print_limit_exceeded.
  std::uint64_t print_bytes = 262'144;
  // Bounds the snapshot of a suspended turn. A larger one fails before the turn waits. Unit: bytes; 0 to
  // 18446744073709551615. Fault: snapshot_too_large.
  std::uint64_t snapshot_bytes = 67'108'864;
  // Bounds the value that resolves an operation, as EDN text. A larger one is refused. Unit: bytes; 0 to
  // 18446744073709551615. Fault: result_too_large.
  std::uint64_t result_bytes = 1'048'576;
  // Bounds how long a turn runs. Waiting does not count. 0: there is no limit. Unit: ms; 0 to 1000000000000.
  // Fault: timeout.
  std::int64_t timeout_ms = 0;
  // Sets when an operation expires if its tool gives no deadline. 0: it never expires. Unit: ms; 0 to
  // 9223372036854775807.
  std::int64_t operation_ttl_ms = 604'800'000;
  // Sets how long an await waits if it gives no time itself. 0: it waits for ever. Unit: ms; 0 to
  // 9223372036854775807. Fault: await_timeout.
  std::int64_t await_timeout_ms = 0;
  // Cuts each print after so many graphemes and ends it with "...". Unit: graphemes; 0 to 4294967295.
  std::uint32_t print_length = 2'000;
  // Bounds the UTF-8 bytes of a regular expression. Unit: bytes; 0 to 4294967295. Fault:
  // regex_limit_exceeded.
  std::uint32_t regex_pattern_bytes = 256;
  // Cuts each text that a regular expression looks at after so many UTF-8 bytes. Unit: bytes; 0 to
  // 4294967295.
  std::uint32_t regex_input_bytes = 32'768;
  // Bounds the distinct symbols and keywords in the source of a turn. Compiled programs are not counted
  // again. Unit: names; 0 to 4294967295. Fault: symbol_limit_exceeded.
  std::uint32_t symbols = 10'000;
};

}  // namespace ptcvm
