#include "framework/search/shrink.h"
#include "framework/search/gen.h"
namespace allprove {
rc::Shrinkable<Case> shrinkable_case(Case test_case) {
  return rc::shrinkable::just(std::move(test_case));
}
}  // namespace allprove
