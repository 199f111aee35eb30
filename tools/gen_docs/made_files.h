// Files that a program makes and that are checked in: written, or compared with what they must hold.
#pragma once
#include <string>
#include <string_view>

namespace ptc {

class MadeFiles {
 public:
  // `hint` tells people how to make a stale file anew.
  MadeFiles(std::string folder, bool checks, std::string hint)
      : folder_(std::move(folder)), hint_(std::move(hint)), checks_(checks) {}

  // Returns what the file holds now; "" if it does not exist.
  std::string content(std::string_view file) const;

  // Writes the file, or compares it, and complains on stderr.
  void make(std::string_view file, const std::string& text);

  // Returns false if a file was stale or could not be written.
  bool good() const { return good_; }

 private:
  std::string path(std::string_view file) const { return folder_ + '/' + std::string(file); }

  const std::string folder_, hint_;
  const bool checks_;
  bool good_ = true;
};

}  // namespace ptc
