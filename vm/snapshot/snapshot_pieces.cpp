// A snapshot in pieces. The values are written twice. At first their bytes are counted, which the tables around them
// need to know. Then the values go out between the tables.
#include <utility>

#include "vm/exec/machine_state.h"
#include "vm/snapshot/binary_writer.h"
#include "vm/snapshot/checksum.h"
#include "vm/snapshot/snapshot.h"
#include "vm/snapshot/state_values.h"

namespace ptc {
namespace {

class CountingSink final : public SnapshotSink {
 public:
  void append(std::span<const std::uint8_t> more) override { count += more.size(); }
  std::size_t count = 0;
};

class SummingSink final : public SnapshotSink {
 public:
  explicit SummingSink(SnapshotSink& out) : out_(out) {}
  void append(std::span<const std::uint8_t> more) override {
    sum.add(more);
    out_.append(more);
  }
  SnapshotChecksum sum;

 private:
  SnapshotSink& out_;
};

class PiecesOfRun final : public SnapshotPieces {
 public:
  PiecesOfRun(const Run& run, HostState host, const SnapshotOptions& options) : run_(run), host_(std::move(host)) {
    const MachineView view(run_);
    StateValues values(view, host_);
    CountingSink counted;
    write_values(values, counted);
    edges_ = snapshot_edges(values, host_, options, counted.count);
    size_ = edges_.before.size() + counted.count + edges_.behind.size() + kChecksumBytes;
  }

  std::size_t size() const override { return size_; }

  void write(SnapshotSink& out) const override {
    SummingSink summed(out);
    summed.append(edges_.before);
    const MachineView view(run_);
    StateValues values(view, host_);
    write_values(values, summed);
    summed.append(edges_.behind);
    out.append(checksum_bytes(summed.sum.value()));
  }

 private:
  static void write_values(StateValues& values, SnapshotSink& out) {
    values.stream.bytes.send_to(out);
    values.write();
    values.stream.bytes.flush();
  }

  const Run& run_;
  const HostState host_;
  SnapshotEdges edges_;
  std::size_t size_ = 0;
};

}  // namespace

std::unique_ptr<SnapshotPieces> snapshot_pieces(const Run& run, HostState host, const SnapshotOptions& options) {
  return std::make_unique<PiecesOfRun>(run, std::move(host), options);
}

bool is_large_snapshot(const Run& run) { return MachineView(run).heap().bytes_used() >= ValueWriter::kLargeHeap; }

}  // namespace ptc
