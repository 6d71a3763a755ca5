// Atomic additions in memory (decision 0033).
#include <fmt/format.h>

#include "platform/base/error.h"
#include "platform/data/element.h"
#include "platform/data/executor.h"
#include "platform/data/math_kernels.h"

namespace kb::data {
namespace {

template <typename Wide>
void sum_into(Dtype dtype, std::vector<std::byte>& bytes, const std::byte* added) {
  const std::size_t count = bytes.size() / item_size(dtype);
  std::vector<Wide> x(count), y(count), sum;
  widen(dtype, bytes.data(), count, x.data());
  widen(dtype, added, count, y.data());
  elementwise(MathOp::add, x, y, {}, sum);
  narrow(dtype, sum.data(), count, bytes.data());
}

}  // namespace

void Executor::add_to(const std::vector<Extent>& destination, Dtype dtype) {
  const std::byte* added = bytes_.data();
  std::vector<std::byte> there;
  for (const Extent& extent : destination) {
    if (extent.nbytes % item_size(dtype) != 0) {
      throw Error::model(fmt::format("data engine: {} bytes at {} are no whole number of {}", extent.nbytes,
                                     memory_.format_address(extent.pa), dtype_name(dtype)));
    }
    memory_.gather({extent}, there);
    is_float(dtype) ? sum_into<float>(dtype, there, added) : sum_into<std::int64_t>(dtype, there, added);
    memory_.write(extent.pa, there.data(), extent.nbytes);
    added += extent.nbytes;
  }
}

}  // namespace kb::data
