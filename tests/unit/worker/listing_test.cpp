// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "tests/unit/plugin/temporary_folder.h"
#include "tests/unit/worker/null_plan.h"

using ::testing::HasSubstr;

namespace sits::worker {
namespace {

plugin::Candidate candidate(const std::string &path) { return {path, plugin::Source::command_line, true, ""}; }

BackendListing listing_with(const std::string &fault) {
  return list_devices({candidate(SITS_NULL_PLUGIN)}, {{"null", {{"fault", fault}}}}, sits::testing::test_worker())
      .at(0);
}

TEST(Listing, tells_a_backend_and_its_devices) {
  ::unsetenv("SITS_NULL_MARK");
  const BackendListing listing = listing_with("");
  EXPECT_TRUE(listing.loaded && listing.available) << listing.reason;
  EXPECT_EQ(listing.info.name, "null");
  ASSERT_EQ(listing.devices.size(), 1u);
  EXPECT_EQ(listing.devices[0].name, "null device");
  EXPECT_EQ(listing.devices[0].properties.at(0).second, "set by the host") << "asked in the backend's environment";
}

TEST(Listing, keeps_what_is_wrong_with_one_plugin_to_that_plugin) {
  sits::testing::TemporaryFolder folder;
  const std::string text = folder.write("libsits_backend_text.so", "text");
  plugin::Candidate refused{"/somewhere", plugin::Source::environment, false, "is a folder"};
  const auto listings = list_devices({refused, candidate(text), candidate(SITS_NULL_WRONG_MAJOR_PLUGIN),
                                      candidate(SITS_NULL_PLUGIN), candidate(SITS_NULL_PLUGIN)},
                                     {}, sits::testing::test_worker());
  ASSERT_EQ(listings.size(), 5u);
  EXPECT_EQ(listings[0].reason, "is a folder");
  EXPECT_THAT(listings[1].reason, HasSubstr("text file"));
  EXPECT_THAT(listings[2].reason, HasSubstr("needs 1.x"));
  EXPECT_TRUE(listings[3].available) << listings[3].reason;
  EXPECT_FALSE(listings[4].available);
  EXPECT_THAT(listings[4].reason, HasSubstr("'null' is already provided"));
}

TEST(Listing, says_why_a_backend_is_not_available) {
  EXPECT_THAT(listing_with("unavailable").reason, HasSubstr("libnulldriver.so.1 not found"));
  EXPECT_THAT(listing_with("crash_open").reason, HasSubstr("SIGSEGV"));
  EXPECT_THAT(listing_with("many_devices").reason, HasSubstr("100000 devices"));
  EXPECT_TRUE(listing_with("many_devices").loaded);
}

TEST(Listing, takes_no_devices_and_broken_names) {
  const BackendListing none = listing_with("no_devices");
  EXPECT_TRUE(none.available);
  EXPECT_TRUE(none.devices.empty());
  EXPECT_EQ(listing_with("bad_names").devices.at(0).name, "null \xef\xbf\xbd device");
}

TEST(Listing, refuses_an_option_that_the_backend_does_not_know) {
  const auto listings =
      list_devices({candidate(SITS_NULL_PLUGIN)}, {{"null", {{"treads", "2"}}}}, sits::testing::test_worker());
  EXPECT_THAT(listings.at(0).reason, HasSubstr("'treads'"));
}

TEST(Listing, says_when_workers_cannot_be_started) {
  const auto listings = list_devices({candidate(SITS_NULL_PLUGIN)}, {}, {"/nonexistent/worker", 1e9});
  EXPECT_THAT(listings.at(0).reason, HasSubstr("cannot start a worker"));
}

}  // namespace
}  // namespace sits::worker
