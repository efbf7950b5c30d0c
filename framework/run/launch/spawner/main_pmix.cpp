// allprove-spawner-pmix: worlds whose ranks meet over PMIx. A program of its own, so that nothing
// else needs libpmix.
#include "framework/run/launch/spawner/pmix_server.h"
#include "framework/run/launch/spawner/spawner.h"

namespace {

std::unique_ptr<allprove::RankServer> make_server(const allprove::Plan& plan) {
  if (plan.protocol != allprove::SpawnProtocol::pmix) return nullptr;
  // The server writes some 8 MiB of files; a sandbox's own /dev/shm takes them without a disk, and
  // goes by itself.
  const bool sandboxed = plan.sandbox == allprove::Sandbox::ns;
  return std::make_unique<allprove::PmixServer>(plan.ranks, plan.world,
                                                sandboxed ? "/dev/shm" : plan.directory);
}

}  // namespace

int main(int argc, char** argv) { return allprove::spawner_main(argc, argv, make_server); }
