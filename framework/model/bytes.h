// Values as bytes for the control channel: fixed-width little-endian fields in the order of
// fields.h, one bit per optional field that says whether it is there. Both ends are the same build.
#pragma once

#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "framework/base/enum_table.h"
#include "framework/base/result.h"
#include "framework/model/fields.h"

namespace allprove {

class ByteWriter {
 public:
  template <class T>
  void put(const T& value) {
    if constexpr (std::is_arithmetic_v<T> || std::is_enum_v<T>) {
      append(&value, sizeof value);
    } else if constexpr (HasFields<const T>) {
      fields(*this, value);
    } else if constexpr (requires { value.has_value(); }) {
      put(value.has_value());
      if (value) put(*value);
    } else {  // a string or a vector
      put(static_cast<std::uint32_t>(value.size()));
      for (const auto& element : value) put(element);
    }
  }
  void put(const std::string& text) {
    put(static_cast<std::uint32_t>(text.size()));
    append(text.data(), text.size());
  }

  template <class T>
  void required(const char*, const T& value) {
    put(value);
  }
  template <class T>
  void optional(const char*, const T& value, const T& fallback) {
    const bool there = !(value == fallback);
    put(there);
    if (there) put(value);
  }

  std::vector<std::byte> take() { return std::move(bytes_); }
  std::size_t size() const { return bytes_.size(); }

 private:
  void append(const void* data, std::size_t size) {
    const auto* first = static_cast<const std::byte*>(data);
    bytes_.insert(bytes_.end(), first, first + size);
  }
  std::vector<std::byte> bytes_;
};

// Reads what ByteWriter wrote. Never reads past the end and never allocates more than the bytes
// that are there could fill: after the first error everything reads as its default, and ok() is
// false.
class ByteReader {
 public:
  explicit ByteReader(std::span<const std::byte> bytes) : bytes_(bytes) {}

  bool ok() const { return ok_; }
  bool at_end() const { return bytes_.empty(); }

  template <class T>
  void get(T& value) {
    if constexpr (NamedEnum<T>) {
      copy(&value, sizeof value);
      if (static_cast<std::size_t>(value) >= names_of<T>().size()) refuse(value);
    } else if constexpr (std::is_same_v<T, bool>) {
      unsigned char raw = 0;
      copy(&raw, 1);
      if (raw > 1) ok_ = false;
      value = raw == 1;
    } else if constexpr (std::is_arithmetic_v<T>) {
      copy(&value, sizeof value);
    } else if constexpr (HasFields<T>) {
      fields(*this, value);
    } else if constexpr (requires { value.emplace(); }) {
      bool there = false;
      get(there);
      value.reset();
      if (there && ok_) get(value.emplace());
    } else {
      get_sequence(value);
    }
  }

  template <class T>
  void required(const char*, T& value) {
    get(value);
  }
  template <class T>
  void optional(const char*, T& value, const T& fallback) {
    bool there = false;
    get(there);
    if (there) {
      get(value);
    } else {
      value = fallback;
    }
  }

 private:
  template <class T>
  void refuse(T& value) {
    ok_ = false;
    value = T{};
  }
  template <class Sequence>
  void get_sequence(Sequence& sequence) {
    std::uint32_t size = 0;
    get(size);
    sequence.clear();
    if (size > bytes_.size()) ok_ = false;  // every element takes at least one byte
    if (!ok_) return;
    if constexpr (std::is_same_v<Sequence, std::string>) {
      sequence.resize(size);
      copy(sequence.data(), size);
    } else {
      // One at a time: what garbage claims to hold is not allocated before it is seen.
      for (std::uint32_t i = 0; i < size && ok_; ++i) get(sequence.emplace_back());
    }
  }
  void copy(void* to, std::size_t size) {
    if (size > bytes_.size()) ok_ = false;
    if (!ok_) {
      std::memset(to, 0, size);
      return;
    }
    std::memcpy(to, bytes_.data(), size);
    bytes_ = bytes_.subspan(size);
  }

  std::span<const std::byte> bytes_;
  bool ok_ = true;
};

template <class T>
std::vector<std::byte> to_bytes(const T& value) {
  ByteWriter writer;
  writer.put(value);
  return writer.take();
}

// The value, when the bytes are exactly one; an internal error otherwise.
template <class T>
Result<T> from_bytes(std::span<const std::byte> bytes) {
  ByteReader reader(bytes);
  T value{};
  reader.get(value);
  if (!reader.ok() || !reader.at_end()) return internal_error("malformed bytes on the channel");
  return value;
}

}  // namespace allprove
