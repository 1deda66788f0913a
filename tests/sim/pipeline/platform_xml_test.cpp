#include "sim/pipeline/platform_xml.hpp"

#include <vector>

#include "random_mapping.hpp"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace spillway::pipeline {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;

TEST(PipelinePlatformXml, HasTheHostsLinksAndPathsOfTheMachine) {
  const std::string xml = platform_xml(test_machine(2));
  for (const char* part : {
           R"(<host id="edge0" speed="1e9f" core="6"/>)",
           R"(<host id="edge1.gpu" speed="1e9f" core="1"/>)",
           R"(<link id="link0" bandwidth="117000000Bps" latency="7.5e-05s"/>)",
           R"(<route src="edge0" dst="edge0" symmetrical="NO"><link_ctn id="link2"/></route>)",
           R"(<route src="edge0" dst="edge1" symmetrical="NO"><link_ctn id="link0"/><link_ctn id="link6"/></route>)",
           R"(<route src="edge1" dst="edge0" symmetrical="NO"><link_ctn id="link5"/><link_ctn id="link1"/></route>)",
           R"(<route src="edge0.gpu" dst="edge0" symmetrical="NO"><link_ctn id="link4"/></route>)",
       })
    EXPECT_THAT(xml, HasSubstr(part));
}

TEST(PipelinePlatformXml, HostsStandInTheOrderOfTheRanks) {
  const std::vector<Placement> placements = {{1, false, 2, nullptr}, {0, true, 1, nullptr}, {1, false, 1, nullptr}};
  EXPECT_EQ(hostfile(placements, test_machine(2)), "edge1\nedge0.gpu\nedge1\n");
}

TEST(PipelinePlatformXml, MessagesUpToTheEagerLimitAreEager) {
  const std::vector<std::string> settings = smpi_settings(test_machine(1));
  EXPECT_THAT(settings, Contains("smpi/send-is-detached-thresh:65537"));
  EXPECT_THAT(settings, Contains("smpi/lat-factor:0:1;65536:3"));
}

}  // namespace
}  // namespace spillway::pipeline
