// Supposed changes of kernels: which calls they mean.
#include "modules/pe/code_reliefs.h"

#include <gmock/gmock.h>

namespace kb::modules {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

struct CodeReliefsTest : ::testing::Test {
  account::PlaceTable places;
  CodeReliefs reliefs;

  account::PlaceId at(const std::string& file, std::uint32_t line, const std::string& tensor = "") {
    account::Place place = account::Place::of_launch(1);
    place.file = places.name(file);
    place.line = line;
    place.tensor = places.name(tensor);
    return places.intern(place);
  }
};

TEST_F(CodeReliefsTest, ALineIsNamedByAsMuchOfItsPathAsItTakes) {
  reliefs.no_wait = {"mlp/gemm.cpp:20"};
  EXPECT_TRUE(reliefs.waits_not(places, at("kernels/mlp/gemm.cpp", 20)));
  EXPECT_TRUE(reliefs.waits_not(places, at("mlp/gemm.cpp", 20, "x")));
  EXPECT_FALSE(reliefs.waits_not(places, at("kernels/other/gemm.cpp", 20)));
  EXPECT_FALSE(reliefs.waits_not(places, at("kernels/mlp/gemm.cpp", 2)));
  EXPECT_FALSE(reliefs.waits_not(places, at("kernels/smlp/gemm.cpp", 20)));
  EXPECT_FALSE(reliefs.waits_not(places, account::PlaceId{}));
}

TEST_F(CodeReliefsTest, ATensorIsNamedWhole) {
  reliefs.copies = {"h"};
  EXPECT_TRUE(reliefs.reads_copy(places, at("a.cpp", 1, "h")));
  EXPECT_FALSE(reliefs.reads_copy(places, at("a.cpp", 1, "h2")));
  EXPECT_FALSE(reliefs.reads_copy(places, at("a.cpp", 1)));
  EXPECT_FALSE(reliefs.waits_not(places, at("a.cpp", 1, "h")));
}

TEST_F(CodeReliefsTest, WhatNoCallHasIsUnused) {
  reliefs.no_wait = {"a.cpp:1", "a.cpp:2"};
  reliefs.copies = {"h"};
  EXPECT_TRUE(reliefs.waits_not(places, at("a.cpp", 2)));
  EXPECT_THAT(reliefs.unused(), ElementsAre("a.cpp:1", "h"));
  EXPECT_TRUE(reliefs.reads_copy(places, at("a.cpp", 1, "h")));
  EXPECT_THAT(reliefs.unused(), IsEmpty());
}

TEST_F(CodeReliefsTest, PEsHaveAShareOfTheirWork) {
  reliefs.work = {{"sip0.cube*.pe2", 0.25}, {"sip1.*", 0}};
  EXPECT_EQ(reliefs.work_of("sip0.cube3.pe2"), 0.25);
  EXPECT_EQ(reliefs.work_of("sip0.cube3.pe1"), 1);
  EXPECT_THAT(reliefs.unused_work(), ElementsAre("sip1.*"));
  EXPECT_EQ(reliefs.work_of("sip1.cube0.pe0"), 0);
  EXPECT_THAT(reliefs.unused_work(), IsEmpty());
}

}  // namespace
}  // namespace kb::modules
