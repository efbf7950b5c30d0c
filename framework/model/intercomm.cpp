#include "framework/model/intercomm.h"

namespace allprove {

int inter_index_of(const Group& group, InterPlace place) {
  return place.part == 0 ? place.position
                         : static_cast<int>(group.parts[0].size()) + place.position;
}

InterPlace inter_place_at(const Group& group, int index) {
  const auto first = static_cast<int>(group.parts[0].size());
  const int wrapped = index % (first + static_cast<int>(group.parts[1].size()));
  return wrapped < first ? InterPlace{0, wrapped} : InterPlace{1, wrapped - first};
}

InterRole inter_role_of(const Group& group, int root, InterPlace place) {
  const auto at = inter_place_at(group, root);
  if (place == at) return InterRole::root;
  return place.part == at.part ? InterRole::beside_root : InterRole::remote;
}

}  // namespace allprove
