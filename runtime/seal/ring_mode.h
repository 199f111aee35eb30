// Looks at the mode of the file of a key ring. A secret that others can read seals nothing, and a person who can write
// the file decides whose seals are good. So a ring is refused when its mode lets others in, as ssh refuses such keys.
//
//   owner of the file       a ring with secrets                     a ring without secrets
//   this user               nobody else reads or writes: 0600       nobody else writes: 0644
//   another user            its group may read: 0640                nobody else writes: 0644
//
// On a file system that is mounted read-only, every mode is taken: containers mount secrets so, and nobody here could
// change their modes (docs/security.md).
#pragma once
#include <sys/stat.h>

#include <string>
#include <string_view>

namespace ptc {

// What is known of the file.
struct RingFile {
  mode_t mode = 0;
  bool is_of_this_user = false;
  bool is_read_only = false;   // its file system is
  bool has_secrets = false;    // its keys have
};

// Returns what is wrong with the mode and how to mend it, or "". `path` is for the message.
std::string ring_mode_problem(std::string_view path, const RingFile& file);

}  // namespace ptc
