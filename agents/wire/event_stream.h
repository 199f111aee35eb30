// Reads server-sent events (the WHATWG HTML standard, section 9.2) from bytes in pieces of any size. The reader has no
// socket and no clock. One thread at a time uses a reader.
//
// One deviation, because a model server sends errors so: a line `error: TEXT` is an event `error` with the data TEXT.
#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace ptcvm::wire {

struct ServerSentEvent {
  std::string_view name;   // empty when the event has no `event` line
  std::string_view data;   // the `data` lines, joined by line feeds
};

class EventStreamReader {
 public:
  // An event may have at most so many bytes; a longer one makes the stream too_long().
  explicit EventStreamReader(std::size_t most_event_bytes = 64u << 20) : most_event_bytes_(most_event_bytes) {}

  // Appends bytes. Ends the life of the views that next() returned.
  void feed(std::string_view bytes);
  // Returns the next event that is whole, or nullopt when more bytes are needed. As the standard says, an event that no
  // empty line ends never comes. The views live until the next call.
  std::optional<ServerSentEvent> next();
  // Returns the event that the end of the stream left open, for servers that leave out the last line end. Call it only
  // when the stream came whole.
  std::optional<ServerSentEvent> last();
  bool too_long() const { return too_long_; }

 private:
  std::optional<std::string_view> next_line();
  void take_line(std::string_view line);
  void add_data(std::string_view value);
  std::optional<ServerSentEvent> finished_event();

  std::size_t most_event_bytes_;
  std::string bytes_;
  std::size_t position_ = 0;          // the first byte that no line has taken
  std::size_t searched_ = 0;          // no line ends between position_ and here
  bool skips_line_feed_ = false;      // the last line ended with a carriage return
  bool is_start_ = true;
  bool too_long_ = false;

  std::string name_, data_;           // parts of the event that is being read
  bool has_data_ = false;
  std::string told_name_, told_data_; // parts of the event that next() returned
};

}  // namespace ptcvm::wire
