#include "sim/study/requests/bundle.h"

#include <gmock/gmock.h>

#include "tests/unit/requests/text_files.h"

namespace kb::requests {
namespace {

using testing::HasSubstr;

const char* const kMeta =
    "hardware: CARD\nmodel: a/b\nvariant: bf16\nengine_effective:\n  max_num_batched_tokens: 64\n  max_num_seqs: 8\n"
    "skew_fit:\n  enabled: false\n";

class BundleTest : public FilesTest {
 protected:
  void write_rank(const std::string& folder, const std::string& end = "\r\n") const {
    write(folder + "dense.csv", "layer,tokens,time_us" + end + "qkv_proj,1,2.0004" + end + "qkv_proj,2,3" + end);
    write(folder + "per_sequence.csv", "layer,sequences,time_us" + end + "lm_head,1,100" + end);
    write(folder + "attention.csv",
          "prefill_chunk,kv_prefill,n_decode,kv_decode,time_us" + end + "0,0,1,16,9.5" + end + "0,0,2,16,11.5" + end);
  }
  void write_all() const {
    write("p/meta.yaml", kMeta);
    write_rank("p/tp1/");
    write_rank("p/tp2/", "\n");
  }
  std::string refused(std::int64_t tp = 1) const {
    return message([&] { read_bundle(path("p"), tp); });
  }
};

TEST_F(BundleTest, ReadsEveryDegree) {  // M-60
  write_all();
  write("p/tp1/moe.csv", "tokens,activated_experts,time_us\n1,8,50\n");
  Bundle bundle = read_bundle(path("p"), 2);
  EXPECT_EQ(bundle.profile.hardware, "CARD");
  EXPECT_EQ(bundle.profile.model, "a/b");
  EXPECT_EQ(bundle.profile.max_tokens, 64);
  EXPECT_EQ(bundle.profile.max_seqs, 8);
  ASSERT_EQ(bundle.profile.by_tp.size(), 2u);
  EXPECT_EQ(bundle.profile.by_tp[1].dense.at("qkv_proj").at(1), 2000);
  EXPECT_EQ(bundle.profile.by_tp[2].attention.at({0, 0, 1, 16}), 9500);
  EXPECT_EQ(bundle.profile.experts.at(1, 8), 50'000);
  EXPECT_FALSE(bundle.profile.by_tp[1].skew);
}

TEST_F(BundleTest, AFolderWithTablesIsOneRank) {  // M-60
  write("p/meta.yaml", kMeta);
  write_rank("p/");
  EXPECT_EQ(read_bundle(path("p"), 1).profile.by_tp.size(), 1u);
  EXPECT_THAT(refused(2), HasSubstr("the profile has no tp2 (it has tp1; choose one by --tp)"));
}

TEST_F(BundleTest, MissingParts) {  // M-78
  EXPECT_THAT(refused(), HasSubstr("does not exist"));
  write("p/CARD/a/b/bf16/meta.yaml", kMeta);
  EXPECT_THAT(refused(),
              HasSubstr("there is no meta.yaml in the folder (did you mean " + path("p/CARD/a/b/bf16") + "?)"));
  write("p/meta.yaml", kMeta);
  EXPECT_THAT(refused(), HasSubstr("it has no folder tp1, tp2, ..."));
  write_all();
  EXPECT_THAT(refused(4), HasSubstr("the profile has no tp4 (it has tp1, tp2; choose one by --tp)"));
  std::filesystem::remove(path("p/tp2/attention.csv"));
  EXPECT_THAT(refused(), HasSubstr("tp2/attention.csv: the table is missing"));
}

TEST_F(BundleTest, WrongTables) {  // M-78
  write_all();
  write("p/tp1/dense.csv", "layer,tokens,time_ms\nqkv_proj,1,2\n");
  EXPECT_THAT(refused(),
              HasSubstr("dense.csv:1: the header is layer,tokens,time_ms (write exactly layer,tokens,time_us)"));
  write("p/tp1/dense.csv",
        "layer,tokens,time_us\nqkv_proj,1\nqkv_proj,0,2\nqkv_proj,1,0\nqkv_proj,1,x\na,1,2\na,1,2\n");
  const std::string all = refused();
  EXPECT_THAT(all, HasSubstr("dense.csv:2: the row has 2 cells instead of 3"));
  EXPECT_THAT(all, HasSubstr("dense.csv:3: tokens: '0' is not a count"));
  EXPECT_THAT(all, HasSubstr("dense.csv:4: time_us: '0' is not a time"));
  EXPECT_THAT(all, HasSubstr("dense.csv:5: time_us: 'x' is not a time"));
  EXPECT_THAT(all, HasSubstr("dense.csv:7: tokens: the cell is there twice"));
  write_rank("p/tp1/");
  write("p/tp1/attention.csv",
        "prefill_chunk,kv_prefill,n_decode,kv_decode,time_us\n0,5,1,16,9\n4,0,0,16,9\n0,0,1,16,9\n0,0,1,16,9\n");
  EXPECT_THAT(refused(), HasSubstr("attention.csv:2: kv_prefill: there is a past without a prefill"));
  EXPECT_THAT(refused(), HasSubstr("attention.csv:3: kv_decode: there is a context without decodes"));
  EXPECT_THAT(refused(), HasSubstr("attention.csv:5: prefill_chunk: the cell is there twice"));
}

std::string skew_meta(const std::string& fit) {
  return "skew_fit:\n  enabled: true\n  bucket_axes:\n    pc: raw\n    n_bins: [0, 4, 1000]\n    n_labels: [few, "
         "many]\n"
         "    skew_rate_bins: [0, 1.01]\n    skew_rate_labels: [any]\n    kv_big_bins: [0, 1e9]\n"
         "    kv_big_labels: [any]\n    kp_bins: [-1, 1e9]\n    kp_labels: [any]\n  per_tp:\n    1:\n" +
         fit;
}

TEST_F(BundleTest, SkewFitsOfEachDegree) {  // M-65
  write_all();
  write("p/meta.yaml", skew_meta("      alpha_default: 0.0625\n      bucket_table: tp1/skew_fit.csv\n"));
  write("p/tp1/skew_fit.csv",
        "pc,n_label,skew_rate_label,kv_big_label,kp_label,alpha,n_samples\n16,few,any,any,any,-0.5,4\n");
  Bundle bundle = read_bundle(path("p"), 1);
  ASSERT_TRUE(bundle.profile.by_tp[1].skew);
  EXPECT_FALSE(bundle.profile.by_tp[2].skew);
  EXPECT_TRUE(bundle.warnings.empty());
  EXPECT_THAT(read_bundle(path("p"), 2).warnings.at(0).text(), HasSubstr("skew_fit: there is no fit for tp2"));
  EXPECT_EQ(bundle.profile.by_tp[1].skew->alpha(16, 4, 0.5, 9, 9), -0.5);
  EXPECT_EQ(bundle.profile.by_tp[1].skew->alpha(16, 5, 0.5, 9, 9), 0.0625);
}

TEST_F(BundleTest, SkewInMetaOrBesideIt) {  // M-65
  write_all();
  write("p/meta.yaml", skew_meta("      alpha_by_bucket:\n        '16|few|any|any|any': 0.25\n"));
  Bundle bundle = read_bundle(path("p"), 1);
  EXPECT_EQ(bundle.profile.by_tp[1].skew->alpha(16, 4, 0.5, 9, 9), 0.25);
  EXPECT_EQ(bundle.profile.by_tp[1].skew->alpha(17, 4, 0.5, 9, 9), 0.0);
  std::string buckets = "      alpha_by_bucket:\n";
  for (int chunk = 0; chunk < 8000; ++chunk)
    buckets += "        '" + std::to_string(chunk) + "|few|any|any|any': 0.5\n";
  write("p/meta.yaml", skew_meta(buckets));
  EXPECT_EQ(read_bundle(path("p"), 1).profile.by_tp[1].skew->size(), 8000u);
  write("p/meta.yaml", skew_meta("      bucket_table: tp1/skew_fit.csv\n"));
  EXPECT_THAT(refused(), HasSubstr("bucket_table: the table tp1/skew_fit.csv does not exist"));
  write("p/skew_fit.csv",
        "pc,n_label,skew_rate_label,kv_big_label,kp_label,alpha,n_samples\n0,few,any,any,any,0.5,4\n");
  EXPECT_EQ(read_bundle(path("p"), 1).profile.by_tp[1].skew->alpha(0, 4, 0.5, 9, 9), 0.5);
}

TEST_F(BundleTest, WrongAxes) {  // M-78
  write_all();
  std::string meta = skew_meta("      alpha_default: x\n");
  write("p/meta.yaml", meta);
  EXPECT_THAT(refused(), HasSubstr("alpha_default: 'x' is not a number"));
  meta.replace(meta.find("[few, many]"), 11, "[few]");
  write("p/meta.yaml", meta);
  EXPECT_THAT(refused(), HasSubstr("skew_fit.bucket_axes.n: 1 labels do not fit 3 edges"));
  write("p/meta.yaml", "skew_fit: [\n");
  EXPECT_THAT(refused(), HasSubstr("meta.yaml:"));
}

}  // namespace
}  // namespace kb::requests
