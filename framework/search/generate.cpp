#include "framework/search/generate.h"

#include "framework/base/check.h"
#include "framework/search/choices.h"
#include "framework/search/draw.h"
#include "framework/search/gen.h"

namespace allprove {

rc::Gen<Case> gen_case(std::shared_ptr<const Choices> choices, int ranks) {
  return [choices = std::move(choices), ranks](const rc::Random& random, int) {
    const RandomStream stream(rc::Random(random).next());
    return shrinkable_case(draw_case(*choices, ranks, stream));
  };
}

Generator::Generator(std::uint64_t seed, const Space& space) {
  ALLPROVE_CHECK(check(space).has_value());
  choices_ = std::make_shared<const Choices>(seed, space);
}

Case Generator::at(std::uint64_t number) const {
  const auto gen = gen_case(choices_, ranks_at(*choices_, number));
  return gen(rc::Random(hash_at(choices_->seed, number))).value();
}

}  // namespace allprove
