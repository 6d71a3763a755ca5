// Products of many rows: the PEs of a cube divide rows and outputs, and each goes over all inputs.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "kernels/model/norm_linear_problem.h"
#include "kernels/tl/context.h"

namespace kb::kernels {

// The grid that takes the least time, or none where dividing the inputs takes less. Equal
// in all PEs of a cube. `resident`: whether a PE's columns of W stay in scratch when the inputs are divided.
OutputGrid choose_output_grid(const tl::Context& tl, const NormLinear& problem, bool resident);

// Computes the outputs of one PE tile by tile. The sums of a tile, (outputs, rows), stay in scratch. For one part of
// the columns after the other it loads x, and streams W some outputs at a time. PEs begin with different columns, so
// that no slice is read by all.
class OutputTiles {
 public:
  OutputTiles(tl::Context& tl, const NormLinear& problem);

  void run();

 private:
  struct Part {
    std::size_t member = 0;
    Range columns;
  };
  struct Tile {
    Range rows, outputs;  // places in `order`; counted in the cube
  };
  struct Step {
    std::size_t tile = 0, part = 0, gate = 0;
    Range outputs;      // of W, counted in the tile
    bool last = false;  // of its part
  };
  struct Buffer {
    tl::TensorHandle room;
    std::vector<tl::Future> transfers;
  };

  void find_parts();
  void find_steps(const Range& rows, const Range& outputs);
  void make_room();
  const Part& part(const Step& step) const { return parts_[step.part]; }
  // Number of the step's part of x, over all tiles.
  std::size_t number(const Step& step) const { return step.tile * parts_.size() + step.part; }
  tl::TensorHandle sums(const Step& step) const;
  void load_x(std::size_t number);
  void load_w(std::size_t step);
  void multiply(std::size_t step);
  void store(const Tile& tile);
  void wait(Buffer& buffer);

  tl::Context& tl_;
  const NormLinear& problem_;
  const OutputGrid& grid_;
  std::vector<Part> parts_;
  std::vector<Tile> tiles_;
  std::vector<Step> steps_;
  std::array<Buffer, 2> x_, out_;
  std::vector<Buffer> w_;
  std::array<tl::TensorHandle, 2> sums_;
  tl::TensorHandle bias_;
};

}  // namespace kb::kernels
