// Hands the events of one run to those who watch it, with back-pressure. Each reader takes as much as it can use. When
// a reader is behind by a whole window, has_room() says so, and the host pauses the stream of the model until on_room.
// The feed has no socket, no clock and no thread.
//
//   EventFeed feed;                                                  // one for each run
//   options.on_token = [&](auto path, auto text) { feed.on_token(path, text); };
//   feed.set_on_room([&] { calls.resume(call); });
//   bool take_bytes(std::string_view bytes) {                        // of drivers::HttpReceiver
//     if (!feed.has_room()) return false;                            // the same bytes come again after resume()
//     run.chunk("model", bytes); …
//   }
//
// One thread at a time uses a feed.
#pragma once
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "agents/loop/run_event.h"

namespace ptcvm::loop {

class EventFeed {
 public:
  using ReaderId = std::uint64_t;

  // A reader may be behind by `window_bytes`, as event_bytes() counts them, before has_room() says no.
  explicit EventFeed(std::size_t window_bytes = 64u << 10) : window_bytes_(window_bytes) {}

  // Gives an event to all readers. Without readers the event is dropped. Events are never refused: the window holds
  // back the stream of the model, and everything else in a turn is small and comes when the stream is over.
  void tell(RunEvent event);
  // Tells a piece of the text of a reply; has the parameters of AgentOptions::on_token. `agent` is the path of the
  // agent, "" for the root; the event has the path of its request ("model", "broker/model").
  void on_token(std::string_view agent, std::string_view text);

  // Returns false while a reader is behind by the window or more.
  bool has_room() const;
  // Sets what is called each time when has_room() becomes true again: within take() or close(), at their ends.
  void set_on_room(std::function<void()> on_room) { on_room_ = std::move(on_room); }

  // Sets what is called after readers were given an event, so that they come and take it. It must not call the feed.
  void set_on_event(std::function<void()> on_event) { on_event_ = std::move(on_event); }

  // Adds a reader. Its first events are the texts so far of the replies that are coming.
  ReaderId open();
  // Returns the oldest events that the reader has not taken, in order: as many as fit into so many bytes, and one at
  // least when there is one. An unknown reader gets nothing.
  std::vector<RunEvent> take(ReaderId reader, std::size_t most_bytes);
  // Takes a reader away. Call this for readers that are gone, because a reader that takes nothing stops the stream.
  void close(ReaderId reader);
  std::size_t readers() const { return readers_.size(); }

 private:
  struct Reader {
    std::deque<std::shared_ptr<const RunEvent>> events;
    std::size_t bytes = 0;
  };

  static void give(Reader& reader, const std::shared_ptr<const RunEvent>& event);
  void tell_room();

  std::size_t window_bytes_;
  std::map<ReaderId, Reader> readers_;
  std::map<std::string, std::string, std::less<>> coming_;   // texts so far of replies that are coming, by path
  std::function<void()> on_room_, on_event_;
  ReaderId last_reader_ = 0;
  bool was_full_ = false;
};

}  // namespace ptcvm::loop
