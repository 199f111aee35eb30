// What happened, in short sentences. Nothing is told until a seed has failed: then it is played again, and told.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ptcvm::simulation {

class Story {
 public:
  explicit Story(bool is_told) : is_told_(is_told) {}

  bool is_told() const { return is_told_; }
  // `run` is what the sentence is about; "" for what all runs may notice. Short stories leave quiet sentences out.
  void tell(std::int64_t now_ms, std::string_view run, std::string sentence, bool is_quiet = false);
  // The first thing that is wrong ends the seed. `run`: what it is about, or "".
  void fail(std::string_view run, std::string why);
  const std::string& failure() const { return failure_; }
  // What matters to the run that failed: at most `most` sentences, the last ones. With `all`, every sentence.
  std::string text(std::size_t most, bool all) const;

 private:
  struct Line {
    std::int64_t at_ms;
    std::string run, sentence;
    bool is_quiet;
  };
  const bool is_told_;
  std::vector<Line> lines_;
  std::string failure_, failed_run_;
};

}  // namespace ptcvm::simulation
