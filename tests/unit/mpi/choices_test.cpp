// Reading the names of MPICH's algorithms from the words that describe them.
#include "backends/mpi/choices.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace allprove {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(Choices, count_from_0_in_the_order_of_the_description) {
  EXPECT_THAT(
      parse_choices("Variable to select barrier algorithm\n"
                    "auto - Internal algorithm selection\n"
                    "nb            - Force nonblocking algorithm\n"
                    "dissemination - Force dissemination algorithm"),
      ElementsAre(NamedValue{"auto", 0}, NamedValue{"nb", 1}, NamedValue{"dissemination", 2}));
}

TEST(Choices, are_told_from_the_word_that_they_are_glued_to) {
  EXPECT_THAT(
      parse_choices("Variable to select bcast algorithmauto - Internal algorithm selection (can be "
                    "overridden with MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE)binomial   - Force "
                    "Binomial Treenb    - Force nonblocking algorithmsmp   - Force smp "
                    "algorithmscatter_recursive_doubling_allgather    - Force Scatter "
                    "Recursive-Doubling Allgatherscatter_ring_allgather    - Force Scatter Ring"),
      ElementsAre(NamedValue{"auto", 0}, NamedValue{"binomial", 1}, NamedValue{"nb", 2},
                  NamedValue{"smp", 3}, NamedValue{"scatter_recursive_doubling_allgather", 4},
                  NamedValue{"scatter_ring_allgather", 5}));
}

TEST(Choices, take_the_longest_name_that_fits_a_glued_word) {
  EXPECT_THAT(parse_choices("algorithmauto - one algorithmsched_smp - two algorithmsmp - three"),
              ElementsAre(NamedValue{"auto", 0}, NamedValue{"sched_smp", 1}, NamedValue{"smp", 2}));
}

TEST(Choices, leave_out_a_glued_word_that_is_unknown_but_count_its_value) {
  EXPECT_THAT(parse_choices("algorithmauto - one algorithmquantum - two algorithmnb - three"),
              ElementsAre(NamedValue{"auto", 0}, NamedValue{"nb", 2}));
}

TEST(Choices, need_no_list_of_names_where_lines_are_kept) {
  EXPECT_THAT(parse_choices("Which one\nquantum - new"), ElementsAre(NamedValue{"quantum", 0}));
}

TEST(Choices, are_none_where_the_description_has_none) {
  EXPECT_THAT(parse_choices("the short message algorithm is used below this size"), IsEmpty());
  EXPECT_THAT(parse_choices(""), IsEmpty());
}

}  // namespace
}  // namespace allprove
