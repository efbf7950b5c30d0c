#include "framework/search/shrink.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <unordered_set>

#include "framework/base/clock.h"
#include "framework/model/case_json.h"
#include "framework/search/edit.h"
#include "framework/search/gen.h"
#include "framework/search/shrink_steps.h"
#include "framework/search/weight.h"

namespace allprove {

rc::Seq<Case> shrinks(const Case& test_case) {
  return rc::seq::mapMaybe(
      rc::seq::fromContainer(shrink_steps(test_case)),
      [test_case, weight = weight_of(test_case)](const Step& step) -> rc::Maybe<Case> {
        Case simpler = test_case;
        step(simpler);
        std::ranges::for_each(simpler.program, whole_operands);
        const bool sound = !simpler.program.empty() && validate(simpler).has_value() &&
                           weight_of(simpler) < weight;
        return sound ? rc::Maybe<Case>(std::move(simpler)) : rc::Nothing;
      });
}

rc::Shrinkable<Case> shrinkable_case(Case test_case) {
  return rc::shrinkable::shrinkRecur(std::move(test_case), &shrinks);
}

Shrunk shrink(const Case& original, const std::function<bool(const Case&)>& still_fails,
              ShrinkBudget budget) {
  const auto deadline = Deadline::after(budget.time_max);
  Shrunk result{.test_case = original};
  std::unordered_set<std::string> tried;
  auto candidates = shrinkable_case(original).shrinks();
  while (const auto candidate = candidates.next()) {
    auto simpler = candidate->value();
    if (!tried.insert(to_json(simpler).dump()).second) continue;
    if (result.tries >= budget.tries_max || deadline.passed()) {
      result.exhausted = true;
      break;
    }
    ++result.tries;
    if (!still_fails(simpler)) continue;
    ++result.steps;
    result.test_case = std::move(simpler);
    candidates = candidate->shrinks();
  }
  return result;
}

}  // namespace allprove
