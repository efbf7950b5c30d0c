// allprove-spawner: worlds without PMIx.
#include "framework/run/launch/spawner/mpirun_ranks.h"
#include "framework/run/launch/spawner/pmi1_server.h"
#include "framework/run/launch/spawner/spawner.h"

namespace {

std::unique_ptr<allprove::RankServer> make_server(const allprove::Plan& plan) {
  using allprove::SpawnProtocol;
  switch (plan.protocol) {
    case SpawnProtocol::plain:
      return std::make_unique<allprove::NoServer>();
    case SpawnProtocol::pmi1:
      return std::make_unique<allprove::Pmi1Server>(plan.ranks, plan.world);
    case SpawnProtocol::mpirun:
      return std::make_unique<allprove::MpirunRanks>(plan);
    case SpawnProtocol::pmix:
      break;
  }
  return nullptr;
}

}  // namespace

int main(int argc, char** argv) { return allprove::spawner_main(argc, argv, make_server); }
