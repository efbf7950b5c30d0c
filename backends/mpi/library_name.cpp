#include "backends/mpi/library_name.h"

namespace allprove {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Where the version begins: a digit that begins a word, or follows a `v` that does.
std::size_t version_start(std::string_view text) {
  bool word_begins = true;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (word_begins && is_digit(text[i])) return i;
    const bool is_space = text[i] == ' ' || text[i] == '\t' || text[i] == ':';
    word_begins = is_space || (word_begins && text[i] == 'v');
  }
  return std::string_view::npos;
}

std::string_view without_suffix(std::string_view text, std::string_view suffix) {
  return text.ends_with(suffix) ? text.substr(0, text.size() - suffix.size()) : text;
}

std::string_view trimmed(std::string_view text) {
  const auto end = text.find_last_not_of(" \t:");
  return text.substr(0, end == std::string_view::npos ? 0 : end + 1);
}

}  // namespace

LibraryName parse_library_version(std::string_view text) {
  text = text.substr(0, text.find('\n'));
  const auto start = version_start(text);
  if (start == std::string_view::npos) return {std::string(text), "unknown"};
  const auto end = text.find_first_of(", \t", start);
  auto name = trimmed(without_suffix(text.substr(0, start), "v"));
  name = trimmed(without_suffix(name, "Version"));
  return {std::string(name), std::string(text.substr(start, end - start))};
}

}  // namespace allprove
