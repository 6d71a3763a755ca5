#include "kernels/catalog.h"

#include <gtest/gtest.h>

#include "kernels/tl/kernel.h"
#include "platform/contract/kernel.h"
#include "tests/unit/kernels/expect_error.h"

namespace kb::tests {
namespace {

using kernels::KernelCatalog;
using Strings = std::vector<std::string>;

contract::Kernel named(const std::string& name) {
  return tl::make_kernel(name, "", {}, [](tl::Context&) {});
}

TEST(KernelCatalog, HoldsTheBuiltInKernelsSorted) {
  const KernelCatalog catalog;
  EXPECT_EQ(catalog.names(), (Strings{"add_bias",
                                      "argmax_rows",
                                      "attention_mesh_kv",
                                      "attention_mesh_mlo",
                                      "collect_columns",
                                      "copy",
                                      "direct_all_gather",
                                      "direct_all_to_all",
                                      "direct_allreduce",
                                      "direct_broadcast",
                                      "direct_gather",
                                      "direct_reduce",
                                      "direct_reduce_scatter",
                                      "direct_scatter",
                                      "direct_send_recv",
                                      "elementwise",
                                      "embedding",
                                      "embedding_rows",
                                      "flash_attention",
                                      "gather_columns",
                                      "gather_rows",
                                      "gemm",
                                      "gemm_composite",
                                      "gemm_single",
                                      "hop_pairwise_allreduce",
                                      "hop_ring_allreduce",
                                      "hop_scatter_allreduce",
                                      "hop_tree_allreduce",
                                      "layernorm",
                                      "linear",
                                      "lrab_allreduce",
                                      "math_composite",
                                      "mesh_allreduce",
                                      "mlp",
                                      "noop",
                                      "norm_linear",
                                      "paged_attention_decode",
                                      "paged_attention_prefill",
                                      "pe_to_pe",
                                      "pointwise",
                                      "pull",
                                      "residual_norm",
                                      "ring_allreduce",
                                      "rms_norm_matmul",
                                      "rope_append",
                                      "rotary_embedding",
                                      "rotate",
                                      "self_attention",
                                      "sip_all_gather",
                                      "sip_all_to_all",
                                      "sip_allreduce",
                                      "sip_broadcast",
                                      "sip_gather",
                                      "sip_reduce",
                                      "sip_reduce_scatter",
                                      "sip_scatter",
                                      "sip_send_recv",
                                      "slice_columns",
                                      "softmax",
                                      "stream",
                                      "three_level_allreduce",
                                      "tile_blocks",
                                      "topk_routing",
                                      "tree_allreduce",
                                      "vector_add"}));
  for (const std::string& name : catalog.names()) {
    const contract::Kernel* kernel = catalog.find(name);
    ASSERT_NE(kernel, nullptr);
    EXPECT_EQ(kernel->name, name);
    EXPECT_FALSE(kernel->description.empty());
  }
  EXPECT_EQ(catalog.find("gem"), nullptr);
}

TEST(KernelCatalog, TakesKernelsOfPlugIns) {
  KernelCatalog catalog;
  const contract::Kernel* gemm = catalog.find("gemm");
  catalog.add(named("my-kernel"));
  EXPECT_NE(catalog.find("my-kernel"), nullptr);
  EXPECT_EQ(catalog.find("gemm"), gemm);
  expect_program_error([&] { catalog.add(named("gemm")); }, "SCHEMA_ERROR", {"kernel gemm", "taken"});
  expect_program_error([&] { catalog.add(named("My Kernel")); }, "SCHEMA_ERROR", {"'My Kernel'", "lower-case"});
  contract::Kernel empty;
  empty.name = "empty";
  expect_program_error([&] { catalog.add(empty); }, "SCHEMA_ERROR", {"kernel empty", "no body"});
  const auto two = [](tl::Context&, double, double) {};
  expect_program_error(
      [&] {
        catalog.add(tl::make_kernel("twins", "", {"x", "x"}, two));
      },
      "SCHEMA_ERROR", {"kernel twins: two parameters are named 'x'"});
  expect_program_error(
      [&] {
        catalog.add(tl::make_kernel("bare", "", {"x", ""}, two));
      },
      "SCHEMA_ERROR", {"kernel bare: a parameter has no name"});
}

TEST(KernelCatalog, KnowsTheGroupOfEachKernel) {
  KernelCatalog catalog;
  EXPECT_EQ(catalog.groups().of("flash_attention"), groups::kAttention);
  EXPECT_EQ(catalog.groups().of("sip_broadcast"), groups::kCollectives);
  EXPECT_EQ(catalog.groups().names().front(), groups::kMatrices);
  catalog.add(named("own"));
  catalog.add(named("plugged"), "plug-in p");
  EXPECT_EQ(catalog.groups().of("own"), groups::kOthers);
  EXPECT_EQ(catalog.groups().names().back(), "plug-in p");
}

TEST(KernelCatalog, NameRule) {
  for (const char* good : {"a", "a1", "gemm-single_pe2", "a-1"}) EXPECT_TRUE(kernels::is_kernel_name(good)) << good;
  for (const char* bad : {"", "1a", "-a", "a-", "a--b", "a_-b", "A", "a b", "a.b"}) {
    EXPECT_FALSE(kernels::is_kernel_name(bad)) << bad;
  }
}

}  // namespace
}  // namespace kb::tests
