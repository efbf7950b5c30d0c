// The oracle of what the vectorized one does not know: elements that are no plain numbers, and
// operands of user-defined operators. One element after the other; the rules are in allowed.h.
#pragma once

#include "framework/oracle/meaning.h"
#include "framework/oracle/typed_oracle.h"

namespace allprove::oracle {

// Whether the call is for this one.
bool is_of_elements(const Call& call);

std::unique_ptr<TypedOracle> make_element_oracle(const Call& call);

// Digests of an output that is made of these pieces; nothing where the oracle allows more than one.
// `own` is the holder's call.
std::optional<Digests> element_digests(const std::vector<Piece>& pieces, const Call& own);

}  // namespace allprove::oracle
