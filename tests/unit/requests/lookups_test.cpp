#include "sim/study/requests/lookups.h"

#include <gmock/gmock.h>

#include "tests/unit/requests/text_files.h"

namespace kb::requests {
namespace {

using testing::HasSubstr;

class LookupsTest : public FilesTest {
 protected:
  LookupsTest() {
    model_.type = "llama";
    model_.layers = 2;
    for (const std::int64_t tp : {1, 2}) {
      profile::RankTables& tables = profile_.by_tp[tp];
      tables.dense["qkv_proj"].add(1, 10 * tp);
      tables.dense["qkv_proj"].add(11, 20 * tp);
      tables.dense["embedding"].add(1, 5);
      tables.per_sequence["lm_head"].add(1, 70);
      tables.attention.add({0, 0, 1, 0}, 100);
      tables.attention.add({0, 0, 1, 100}, 200);
      tables.attention.add({0, 0, 2, 0}, 150);
      tables.attention.add({16, 0, 0, 0}, 400);
    }
  }
  LookupTable ask(const std::string& text) {
    return look_up(write("rows.csv", text), profile_, model_, {1, 1}, profile::RankLinks{0, 1, 1});
  }
  profile::KernelProfile profile_;
  profile::ServedModel model_;
};

TEST_F(LookupsTest, SingleLookups) {  // M-70
  const LookupTable table =
      ask("kind,tp,layer,n,prefill_chunk,kv_prefill,decode_kv,activated_experts,skew,expected_ns\n"
          "dense,1,qkv_proj,6,,,,,,15\n"
          "dense,2,qkv_proj,6,,,,,,32\n"
          "attention,1,,,0,0,50,,0,150\n");
  EXPECT_EQ(table.rows, 3u);
  EXPECT_TRUE(table.compared);
  EXPECT_EQ(table.different, 1u);  // 30 is 2 ns off
  EXPECT_THAT(table.csv, HasSubstr("skew,expected_ns,computed_ns\ndense,1,qkv_proj,6,,,,,,15,15\n"));
  EXPECT_THAT(table.csv, HasSubstr(",32,30\n"));
}

TEST_F(LookupsTest, Batches) {  // M-70
  const LookupTable table = ask("prefills_new@past,decode_kv\n,50\n16@0,\n");
  EXPECT_FALSE(table.compared);
  EXPECT_EQ(table.csv,
            "prefills_new@past,decode_kv,computed_layer_ns,computed_step_ns\n"
            ",50,160,395\n16@0,,425,925\n");
  EXPECT_EQ(ask("prefills_new@past,decode_kv,layer_ns,step_ns\n,50,160,395\n,50,160,396\n").different, 1u);
}

TEST_F(LookupsTest, WrongRows) {  // M-78
  const auto refused = [&](const std::string& text) { return message([&] { ask(text); }); };
  EXPECT_THAT(refused("a,b\n"), HasSubstr("the columns are neither those of look-ups nor those of batches"));
  EXPECT_THAT(refused("kind,tp,layer,n\ndens,1,a,1\n"), HasSubstr("rows.csv:2: kind: 'dens' is not a kind"));
  EXPECT_THAT(refused("kind,tp,layer,n\ndense,3,a,1\n"), HasSubstr("the profile has no tp3"));
  EXPECT_THAT(refused("kind,tp,layer,n\ndense,1,a,-1\n"), HasSubstr("n: '-1' is not a count"));
  EXPECT_THAT(refused("prefills_new@past,decode_kv\n16,\n"), HasSubstr("'16' is not NEW@PAST"));
  EXPECT_THAT(refused("prefills_new@past,decode_kv\n1@5,\n"), HasSubstr("fewer than 2 new tokens"));
  EXPECT_THAT(refused("prefills_new@past,decode_kv\n,\n"), HasSubstr("the batch is empty"));
}

}  // namespace
}  // namespace kb::requests
