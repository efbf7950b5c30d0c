// Numbers and expectations as text for a person.
#pragma once

#include <string>

#include "framework/oracle/elements.h"
#include "framework/oracle/expectation.h"

namespace allprove::oracle {

// Decimal; followed by the hexadecimal form of a float that the decimal does not show to the bit,
// and by the bits of a NaN.
template <class T>
std::string number_text(T value);

// The same of an element of any kind.
template <class E>
std::string element_text(const E& element);

// What element i may be.
template <class T>
std::string range_text(const Expectation<T>& expectation, std::size_t i);

}  // namespace allprove::oracle
