// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "harness/measure/statistics.h"

namespace sits {
namespace {

using Draw = std::function<double(std::mt19937_64 &, int)>;

/// How many of 200 sets of n samples are called multimodal.
int fired(int n, const Draw &draw, double tick = 0) {
  std::mt19937_64 random(42);
  int count = 0;
  for (int set = 0; set < 200; ++set) {
    std::vector<double> samples;
    for (int i = 0; i < n; ++i) samples.push_back(draw(random, i));
    std::sort(samples.begin(), samples.end());
    count += is_multimodal(samples, tick);
  }
  return count;
}

double gauss(std::mt19937_64 &random) { return std::normal_distribution<double>()(random); }
double uniform(std::mt19937_64 &random) { return std::uniform_real_distribution<double>()(random); }

struct Unimodal {
  std::string name;
  Draw draw;
  double tick = 0;
};

TEST(Multimodal, is_not_said_of_one_mode) {
  const std::vector<Unimodal> shapes = {
      {"normal", [](auto &r, int) { return 1000 + 30 * gauss(r); }},
      {"lognormal", [](auto &r, int) { return 1000 * std::exp(0.5 * gauss(r)); }},
      {"uniform", [](auto &r, int) { return 1000 + 500 * uniform(r); }},
      {"exponential tail", [](auto &r, int) { return 1000 - 200 * std::log(1 - uniform(r)); }},
      {"normal on few ticks", [](auto &r, int) { return 40 * std::round((1000 + 30 * gauss(r)) / 40); }, 40},
      {"uniform on ticks", [](auto &r, int) { return 40 * std::round((1000 + 500 * uniform(r)) / 40); }, 40},
      {"two neighbouring ticks", [](auto &, int i) { return i % 2 == 0 ? 480.0 : 520.0; }, 40},
      {"constant", [](auto &, int) { return 1000.0; }},
      {"one outlier in fifty", [](auto &r, int i) { return (i % 50 == 0 ? 3000 : 1000) + gauss(r); }},
      {"difference below 2 %", [](auto &, int i) { return i % 2 == 0 ? 1000.0 : 1015.0; }},
  };
  for (const Unimodal &shape : shapes)
    for (const int n : {10, 20, 45, 100, 500})
      EXPECT_LE(fired(n, shape.draw, shape.tick), 2) << shape.name << ", n = " << n;
}

TEST(Multimodal, is_said_of_two_separated_modes) {
  for (const int every : {2, 4, 8}) {
    const Draw draw = [&](auto &r, int i) { return (i % every == 0 ? 1300 : 1000) + 10 * gauss(r); };
    for (const int n : {100, 200, 1000}) EXPECT_GE(fired(n, draw), 195) << "1 in " << every << ", n = " << n;
  }
}

TEST(Multimodal, is_said_of_two_modes_of_one_tenth_and_strays_between) {
  const Draw draw = [](auto &r, int i) {
    if (i % 100 == 7) return 1150.0;  // 1 % between the modes
    return (i % 9 == 0 ? 1400 : 1000) + 10 * gauss(r);
  };
  EXPECT_GE(fired(300, draw), 195);
}

TEST(Multimodal, is_said_of_two_values_without_any_spread) {
  EXPECT_EQ(fired(
                20, [](auto &, int i) { return i % 2 == 0 ? 100.0 : 200.0; }, 1),
            200);
}

TEST(Multimodal, is_said_of_modes_on_distant_ticks) {
  EXPECT_EQ(fired(
                60, [](auto &, int i) { return i % 3 == 0 ? 4000.0 : 2000.0; }, 40),
            200);
}

TEST(Multimodal, is_never_said_of_times_that_cannot_be) {
  EXPECT_FALSE(is_multimodal(std::vector<double>(20, -5.0), 0));
  EXPECT_FALSE(is_multimodal({}, 0));
}

}  // namespace
}  // namespace sits
