// Makes a request of the batch protocol small while it keeps failing.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "ptcvm/engine.hpp"

namespace ptcvm::cli {

// What a command gets on its standard input: a line for ptcvm batch, or readable_request().
enum class CandidateForm : std::uint8_t { Line, Program };

class RequestMinimizer {
 public:
  // `command` runs in a shell and gets each candidate on its standard input. Without a command a request fails when its
  // answer changes as it is suspended everywhere.
  RequestMinimizer(const Engine& engine, std::string command, CandidateForm form)
      : engine_(engine), command_(std::move(command)), form_(form) {}

  // Returns the smallest request found, or nullopt when this one does not fail, or there is a problem().
  std::optional<std::string> minimize(const std::string& request);
  std::size_t candidates() const { return candidates_; }
  // Returns why the command could not be run for the request, or says nothing about it, or "".
  const std::string& problem() const { return problem_; }
  // Returns what there is to say about the way in which the request fails, or "".
  const std::string& note() const { return note_; }

 private:
  // What a check said: 0 for a candidate that is good, else how the check failed.
  int check(const std::string& candidate);
  // Says in problem_ that the command fails on every program. Returns whether it does.
  bool fails_always(const std::string& request, int failure);
  std::string without_unused(std::string request, int failure);

  const Engine& engine_;
  std::string command_, problem_, note_;
  CandidateForm form_;
  std::size_t candidates_ = 0;
};

// Returns a request as a program for people, with the answers of its tools in comments, or a text as it is.
std::string readable_request(const std::string& request);
// Returns the request in a file: its first line, or a request of the program that the file is (program_text()).
std::string request_of_file(std::string text);

}  // namespace ptcvm::cli
