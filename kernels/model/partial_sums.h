// Sums over the PEs of a cube.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "kernels/model/norm_linear_problem.h"
#include "kernels/model/weight_stream.h"
#include "kernels/tl/context.h"

namespace kb::kernels {

// Every member sends its partial sums to the member that adds them up; a barrier of the cube later that one scales
// them, applies bias or SwiGLU, rounds, and stores its outputs of y. Partial sums are transposed, (outputs, rows), so
// that what goes to one member is contiguous. Two blocks have room at a time, when there are several.
class PartialSums {
 public:
  PartialSums(tl::Context& tl, const NormLinear& problem);

  void load_bias();
  // Room for the partial sums of a chunk, (outputs, rows) of f32, until they have been sent.
  tl::TensorHandle room(const WeightChunk& chunk, std::int64_t rows);
  // Starts to send what room() gave last. When all sums of a launch have room, a member's are sent as soon as they are
  // complete, with those of others in one command; chunks must come in order.
  void send(std::int64_t block, const WeightChunk& chunk, const tl::TensorHandle& sums);
  void send_squares(std::int64_t block, const tl::TensorHandle& squares);
  // Meets the other members when all have sent the block, and completes its own outputs.
  void complete(std::int64_t block);
  // Waits for what is being stored.
  void finish();

  // Whether the sums of all outputs stay in scratch; then there is one block of rows.
  static bool keeps_all(const NormLinear& problem, std::int64_t rows);
  static std::int64_t scratch_needed(const NormLinear& problem, std::int64_t rows);

 private:
  struct Sent {
    tl::TensorHandle room;
    std::vector<tl::Future> stores;
  };
  // Lines of `rows` numbers that a member gets from each member: outputs of W, of W2, and the squares.
  std::int64_t lines(std::int64_t member) const {
    return problem_.gates * problem_.share(member).size + (problem_.norm() ? 1 : 0);
  }
  // Starts to send lines [line, ...) to members [first, end), whose shares are alike: `values` has theirs one after the
  // other, each `elements` long.
  void send_alike(std::int64_t block, std::int64_t first, std::int64_t end, std::int64_t line,
                  const tl::TensorHandle& values, std::vector<tl::Future>& pending);
  // End of the members from `first` on, before `end`, whose shares have one size and whose sections have equal
  // distances.
  std::int64_t alike(std::int64_t first, std::int64_t end) const;
  void send_completed(std::int64_t block, const WeightChunk& chunk, std::int64_t rows);
  tl::Ptr section(std::int64_t block, std::int64_t to, std::int64_t from, std::int64_t line) const;
  void wait(std::vector<tl::Future>& pending);
  void load_lines(const tl::TensorHandle& out, std::int64_t block, std::int64_t line, std::vector<tl::Future>& pending);
  tl::TensorHandle scale(std::int64_t block);
  // What came from the members for some outputs, (members, outputs * rows) for each gate.
  struct Parts {
    Range outputs;
    std::vector<tl::TensorHandle> values;
    std::vector<tl::Future> loads;
  };
  Parts load_parts(std::int64_t block, std::int64_t first, const std::vector<tl::TensorHandle>& room);
  void complete_outputs(std::int64_t block, Parts& parts, const tl::TensorHandle& scale);
  void store(std::int64_t block, const Range& some);

  tl::Context& tl_;
  const NormLinear& problem_;
  std::array<Sent, 3> sent_;
  std::size_t turn_ = 0;
  tl::TensorHandle all_;     // all sums of the launch, when they have room
  std::int64_t next_ = 0;    // members, from the one after this on, whose sums of this gate were sent
  tl::TensorHandle copies_;  // of the squares, for all members
  std::vector<tl::Future> squares_, bias_loads_, stores_;
  tl::TensorHandle bias_;
  tl::TensorHandle sums_;  // outputs that are stored together, (outputs, rows) in f32
  tl::TensorHandle out_;   // the same, rounded, (rows, outputs)
};

}  // namespace kb::kernels
