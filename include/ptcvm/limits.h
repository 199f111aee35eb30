// Limits of one run for C; see ptcvm.h, which includes this file. Passing one ends the turn with the fault
// named here. All hold across suspensions. A limit out of its range is refused with PTCVM_INVALID_VALUE.
//
// Made by tools/gen_limits from schema/limits.def. Do not edit.
#pragma once
#include <stddef.h>
#include <stdint.h>

typedef struct ptcvm_limits {
  size_t struct_size;
  // Bounds the work of a turn. A call, a jump, a step of a builtin and an element of bulk work take about one
  // unit each. Unit: units; 0 to 18446744073709551615. Fault: fuel_exhausted.
  uint64_t fuel;
  // Bounds the bytes of the run's heap that are live at once. Unit: bytes; 0 to 18446744073709551615. Fault:
  // memory_exceeded.
  uint64_t memory_bytes;
  // Bounds the UTF-8 bytes of one string. Unit: bytes; 0 to 18446744073709551615. Fault:
  // string_limit_exceeded.
  uint64_t string_bytes;
  // Bounds the UTF-8 bytes of all prints together. Unit: bytes; 0 to 18446744073709551615. Fault:
  // print_limit_exceeded.
  uint64_t print_bytes;
  // Bounds the snapshot of a suspended turn. A larger one fails before the turn waits. Unit: bytes; 0 to
  // 18446744073709551615. Fault: snapshot_too_large.
  uint64_t snapshot_bytes;
  // Bounds the value that resolves an operation, as EDN text. A larger one is refused. Unit: bytes; 0 to
  // 18446744073709551615. Fault: result_too_large.
  uint64_t result_bytes;
  // Bounds how long a turn runs. Waiting does not count. 0: there is no limit. Unit: ms; 0 to 1000000000000.
  // Fault: timeout.
  int64_t timeout_ms;
  // Sets when an operation expires if its tool gives no deadline. 0: it never expires. Unit: ms; 0 to
  // 9223372036854775807.
  int64_t operation_ttl_ms;
  // Sets how long an await waits if it gives no time itself. 0: it waits for ever. Unit: ms; 0 to
  // 9223372036854775807. Fault: await_timeout.
  int64_t await_timeout_ms;
  // Bounds how deeply the calls of one fiber are nested. Unit: calls; 1 to 4294967295. Fault:
  // recursion_limit_exceeded.
  uint32_t depth;
  // Bounds the jumps of one activation of a loop. Unit: jumps; 0 to 4294967295. Fault: loop_limit_exceeded.
  uint32_t loop;
  // Bounds the tool calls of a turn. An answer from the cache does not count. Unit: calls; 0 to 4294967295.
  // Fault: tool_call_limit_exceeded.
  uint32_t tool_calls;
  // Bounds the branches of one pmap or pcalls. Unit: branches; 0 to 4294967295. Fault:
  // parallel_capacity_exceeded.
  uint32_t parallel_branches;
  // Bounds the operations that wait at once. Unit: operations; 0 to 4294967295. Fault:
  // pending_limit_exceeded.
  uint32_t pending_operations;
  // Bounds how often a turn waits for operations. Unit: suspensions; 0 to 4294967295. Fault:
  // suspension_limit_exceeded.
  uint32_t suspensions;
  // Bounds the bits of one integer. 64 bits always fit. Unit: bits; 0 to 4294967295. Fault:
  // integer_limit_exceeded.
  uint32_t integer_bits;
  uint32_t reserved;
  // Cuts each print after so many graphemes and ends it with "...". Unit: graphemes; 0 to 4294967295.
  uint64_t print_length;
  // Bounds the UTF-8 bytes of a regular expression. Unit: bytes; 0 to 4294967295. Fault:
  // regex_limit_exceeded.
  uint64_t regex_pattern_bytes;
  // Cuts each text that a regular expression looks at after so many UTF-8 bytes. Unit: bytes; 0 to
  // 4294967295.
  uint64_t regex_input_bytes;
  // Bounds the distinct symbols and keywords in the source of a turn. Compiled programs are not counted
  // again. Unit: names; 0 to 4294967295. Fault: symbol_limit_exceeded.
  uint64_t symbols;
} ptcvm_limits;
