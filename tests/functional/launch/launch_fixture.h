// What tests of worlds share: a run of their own, ways to wait with a bound, and what a run left.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "framework/run/launch/launcher.h"

namespace allprove {

// One way to make a world: what it needs, and how ranks are started.
struct Way {
  std::string name;
  SpawnProtocol protocol;
  std::string rank_program;         // in the folder of test programs
  std::vector<std::string> mpirun;  // without the number of ranks
};

std::filesystem::path test_program(const std::string& name);

// "" when this build and machine can do it, else why not.
std::string why_not(const Way& way, Sandbox sandbox);

const std::vector<Way>& mpi_ways();     // Open MPI and MPICH, directly and by their mpirun
const std::vector<Way>& direct_ways();  // plain, pmi1, pmix

// True as soon as the condition holds; false after 20 s.
bool eventually(const std::function<bool()>& condition);

std::string read_text(const std::filesystem::path& path);

class TestRun {
 public:
  TestRun();
  ~TestRun();  // removes its directory; kills what is left of the run

  LaunchSpec spec(const Way& way, Sandbox sandbox, int ranks, std::vector<std::string> arguments);
  std::string log(int rank) const;  // -1: launcher.log
  bool eventually_logged(int rank, const std::string& text) const;
  std::filesystem::path directory() const { return directory_; }

  // Processes that carry the run's marker, and files: one line each.
  std::vector<std::string> left() const;

 private:
  std::string id_;
  std::filesystem::path directory_;
};

// Wait status of each rank, as soon as `count` of them came; fails the test when they do not.
std::map<int, int> exits_of(WorldProcesses& world, std::size_t count);

// The pid of a rank that has logged something: it is told soon after.
pid_t pid_of(WorldProcesses& world, int rank);

// Ends the world, expecting nothing to be left.
void expect_clean_end(WorldProcesses& world);

}  // namespace allprove
