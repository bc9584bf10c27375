#include "base/cores.hpp"

#include <sched.h>

#include "support/catch.hpp"
#include "support/temp_folder.hpp"

using namespace hotpack;

namespace {

// A system with one hierarchy of version 2 or 1, in which this process is in `cgroup`.
void write_v2(const TempFolder& root, const std::string& cgroup, const std::string& mounted = "/") {
  root.write("proc/self/cgroup", "0::" + cgroup + "\n");
  root.write("proc/self/mountinfo",
             "23 1 0:21 / /proc rw,nosuid shared:5 - proc proc rw\n"
             "31 23 0:28 " +
                 mounted + " /sys/fs/cgroup rw,nosuid shared:9 - cgroup2 cgroup2 rw,nsdelegate\n");
}

void write_v1(const TempFolder& root, const std::string& cgroup) {
  root.write("proc/self/cgroup", "9:memory:/elsewhere\n4:cpu,cpuacct:" + cgroup + "\n0::/\n");
  root.write("proc/self/mountinfo",
             "31 23 0:28 / /sys/fs/cgroup rw - tmpfs tmpfs rw\n"
             "32 31 0:29 / /sys/fs/cgroup/cpu,cpuacct rw - cgroup cgroup rw,cpu,cpuacct\n"
             "33 31 0:30 / /sys/fs/cgroup/cpuset rw - cgroup cgroup rw,cpuset\n"
             "41 31 0:38 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n");
}

}  // namespace

TEST_CASE("cgroup v2 rounds up the tightest quota of a group and its parents") {
  const TempFolder root;
  write_v2(root, "/jobs/one/step");
  CHECK_FALSE(quota_cores(root.path()).has_value());
  root.write("sys/fs/cgroup/jobs/one/step/cpu.max", "max 100000\n");
  CHECK_FALSE(quota_cores(root.path()).has_value());
  root.write("sys/fs/cgroup/jobs/one/cpu.max", "250000 100000\n");
  CHECK(quota_cores(root.path()) == 3u);
  root.write("sys/fs/cgroup/jobs/cpu.max", "800000 100000\n");
  CHECK(quota_cores(root.path()) == 3u);
  root.write("sys/fs/cgroup/jobs/one/step/cpu.max", "5000 100000\n");
  CHECK(quota_cores(root.path()) == 1u);
}

TEST_CASE("cores: version 2 inside a container") {
  const TempFolder root;
  root.write("sys/fs/cgroup/cpu.max", "200000 100000\n");
  root.write("sys/fs/cgroup/inner/cpu.max", "100000 100000\n");
  write_v2(root, "/");  // with a namespace of its own
  CHECK(quota_cores(root.path()) == 2u);
  write_v2(root, "/docker/0123",
           "/docker/0123");  // without: the path is the host's, the mount the container's
  CHECK(quota_cores(root.path()) == 2u);
  write_v2(root, "/docker/0123/inner", "/docker/0123");
  CHECK(quota_cores(root.path()) == 1u);
  write_v2(root, "/../0123/inner");  // outside of what is mounted
  CHECK(quota_cores(root.path()) == 2u);
}

TEST_CASE("cores: version 1 and a mixture of both") {
  const TempFolder root;
  write_v1(root, "/jobs/one");
  root.write("sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us", "-1\n");
  root.write("sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us", "100000\n");
  CHECK_FALSE(quota_cores(root.path()).has_value());
  root.write("sys/fs/cgroup/cpu,cpuacct/jobs/cpu.cfs_quota_us", "150000\n");
  root.write("sys/fs/cgroup/cpu,cpuacct/jobs/cpu.cfs_period_us", "50000\n");
  root.write("sys/fs/cgroup/cpu,cpuacct/jobs/one/cpu.cfs_quota_us", "-1\n");
  root.write("sys/fs/cgroup/cpu,cpuacct/jobs/one/cpu.cfs_period_us", "100000\n");
  CHECK(quota_cores(root.path()) == 3u);
  root.write("sys/fs/cgroup/cpu,cpuacct/elsewhere/cpu.cfs_quota_us",
             "1\n");  // another controller's cgroup
  CHECK(quota_cores(root.path()) == 3u);
}

TEST_CASE("cores: malformed files mean no quota") {
  const TempFolder root;
  CHECK_FALSE(quota_cores(root.path()).has_value());
  root.write("proc/self/mountinfo",
             "\n31 23\n - cgroup2\n31 23 0:28 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n");
  root.write("proc/self/cgroup", "nonsense\n::\n0::/a/\n");
  root.write("sys/fs/cgroup/a/cpu.max", "0 100000\n");
  CHECK_FALSE(quota_cores(root.path()).has_value());
  root.write("sys/fs/cgroup/a/cpu.max", "9223372036854775807 1\n");
  root.write("sys/fs/cgroup/cpu.max", "100000 0\n");
  CHECK(quota_cores(root.path()) == 2147483647u);
}

TEST_CASE("memory: version 2 with the tightest of the cgroup and its parents") {
  const TempFolder root;
  write_v2(root, "/jobs/one");
  CHECK_FALSE(quota_memory(root.path()).has_value());
  root.write("sys/fs/cgroup/jobs/one/memory.max", "max\n");
  root.write("sys/fs/cgroup/jobs/one/memory.current", "500\n");
  CHECK_FALSE(quota_memory(root.path()).has_value());
  root.write("sys/fs/cgroup/jobs/memory.max", "8000\n");
  root.write("sys/fs/cgroup/jobs/memory.current", "7000\n");
  CHECK(quota_memory(root.path()) == 1000u);
  // which the kernel reclaims
  root.write("sys/fs/cgroup/jobs/memory.stat",
             "anon 3000\nfile 4000\ninactive_file 2500\nactive_file 1200\nslab_reclaimable 90\n");
  CHECK(quota_memory(root.path()) == 4790u);
  root.write("sys/fs/cgroup/jobs/one/memory.max", "600\n");
  CHECK(quota_memory(root.path()) == 100u);
  // beyond the limit, as happens for a while
  root.write("sys/fs/cgroup/jobs/one/memory.current", "700\n");
  CHECK(quota_memory(root.path()) == 0u);
  // more than is used: the two were read at different moments
  root.write("sys/fs/cgroup/jobs/one/memory.stat", "inactive_file 900\n");
  CHECK(quota_memory(root.path()) == 600u);
}

TEST_CASE("memory: version 1 and a mixture of both") {
  const TempFolder root;
  root.write("proc/self/cgroup", "9:memory:/jobs\n4:cpu,cpuacct:/elsewhere\n0::/\n");
  root.write("proc/self/mountinfo",
             "32 31 0:29 / /sys/fs/cgroup/cpu,cpuacct rw - cgroup cgroup rw,cpu,cpuacct\n"
             "33 31 0:30 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n"
             "41 31 0:38 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n");
  root.write("sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
  root.write("sys/fs/cgroup/memory/memory.usage_in_bytes", "4096\n");
  CHECK_FALSE(quota_memory(root.path()).has_value());
  root.write("sys/fs/cgroup/memory/jobs/memory.limit_in_bytes", "9000\n");
  root.write("sys/fs/cgroup/memory/jobs/memory.usage_in_bytes", "5000\n");
  root.write("sys/fs/cgroup/memory/jobs/memory.stat",
             "inactive_file 7\ntotal_inactive_file 30\ntotal_active_file 4\n");
  CHECK(quota_memory(root.path()) == 4034u);
  CHECK_FALSE(quota_cores(root.path()).has_value());
}

TEST_CASE("memory: malformed files mean no limit") {
  const TempFolder root;
  CHECK_FALSE(quota_memory(root.path()).has_value());
  write_v2(root, "/a");
  root.write("sys/fs/cgroup/a/memory.max", "100\n");
  CHECK_FALSE(quota_memory(root.path()).has_value());
  root.write("sys/fs/cgroup/a/memory.current", "some\n");
  CHECK_FALSE(quota_memory(root.path()).has_value());
  root.write("sys/fs/cgroup/a/memory.current", "40\n");
  root.write("sys/fs/cgroup/a/memory.stat", "nonsense\nactive_file\n");
  CHECK(quota_memory(root.path()) == 60u);
}

TEST_CASE("memory: the cgroup's limit, or the machine's memory if it is less") {
  const TempFolder root;
  CHECK(available_memory(root.path()) == std::nullopt);
  CHECK(usable_memory(root.path()).bytes > 0);  // the free pages of this system
  root.write("proc/meminfo",
             "MemTotal:       16316412 kB\nMemFree:  1 kB\nMemAvailable:   12 kB\nBuffers: 5 kB\n");
  CHECK(available_memory(root.path()) == 12u * 1024);
  CHECK(usable_memory(root.path()).bytes == 12u * 1024);
  write_v2(root, "/a");
  root.write("proc/meminfo", "MemAvailable:   12 kB\n");
  root.write("sys/fs/cgroup/a/memory.current", "0\n");
  root.write("sys/fs/cgroup/a/memory.max", "20000\n");
  CHECK_FALSE(usable_memory(root.path()).of_cgroup);
  root.write("sys/fs/cgroup/a/memory.max", "12000\n");
  CHECK(usable_memory(root.path()).bytes == 12000);
  CHECK(usable_memory(root.path()).of_cgroup);
  root.write("proc/meminfo", "nonsense\n");
  CHECK(usable_memory(root.path()).bytes == 12000);
}

TEST_CASE("cores: no more than the affinity mask has") {
  CHECK(usable_cores() >= 1);
  cpu_set_t before, one;
  REQUIRE(sched_getaffinity(0, sizeof before, &before) == 0);
  CPU_ZERO(&one);
  for (std::size_t cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (!CPU_ISSET(cpu, &before)) continue;
    CPU_SET(cpu, &one);
    break;
  }
  REQUIRE(sched_setaffinity(0, sizeof one, &one) == 0);
  CHECK(usable_cores() == 1);
  REQUIRE(sched_setaffinity(0, sizeof before, &before) == 0);
  CHECK(usable_cores() <= static_cast<unsigned>(CPU_COUNT(&before)));
}
