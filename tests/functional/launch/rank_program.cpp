// A rank without MPI that does what its arguments say, by its ALLPROVE_SLOT:
//   exits            exits with its slot; slot 2 by SIGABRT
//   waits            waits to be killed
//   stops            stops itself
//   first_exits      slot 0 exits with 9, the others wait
//   escapes FILE     a grandchild with a session and no environment holds FILE locked, and waits
//   escapes_marked FILE    the same, but it keeps its environment
//   floods COUNT     prints so many lines, then "the last words", and exits
//   prints NAME...   prints those variables of its environment, one a line
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <string>

namespace {

[[noreturn]] void wait_for_ever() {
  for (;;) pause();
}

// Without an environment no marker in it can help to find the process.
void start_grandchild(const char* program, const char* lock, bool marked) {
  int ready[2];
  if (pipe(ready) != 0) std::abort();
  if (fork() == 0) {
    setsid();
    if (fork() != 0) _exit(0);
    const std::string fd = std::to_string(ready[1]);
    char* const none[] = {nullptr};
    execle(program, program, "holds", lock, fd.c_str(), nullptr, marked ? environ : none);
    _exit(1);
  }
  close(ready[1]);
  char byte = 0;
  if (read(ready[0], &byte, 1) != 1) std::abort();
}

void hold_lock(const char* lock, int ready) {
  const int file = open(lock, O_RDWR | O_CREAT, 0600);
  if (flock(file, LOCK_EX | LOCK_NB) != 0 || write(ready, "r", 1) != 1) std::abort();
  wait_for_ever();
}

}  // namespace

int main(int argc, char** argv) {
  const std::string what = argc > 1 ? argv[1] : "";
  if (what == "holds") hold_lock(argv[2], std::atoi(argv[3]));
  const char* const slot_text = std::getenv("ALLPROVE_SLOT");
  const int slot = slot_text == nullptr ? -1 : std::atoi(slot_text);
  std::printf("slot %d\n", slot);
  std::fflush(stdout);
  if (what == "exits") {
    if (slot == 2) std::abort();
    return slot;
  }
  if (what == "first_exits" && slot == 0) return 9;
  if (what == "stops") raise(SIGSTOP);
  if (what.starts_with("escapes") && slot == 0) {
    start_grandchild(argv[0], argv[2], what == "escapes_marked");
  }
  if (what == "floods") {
    for (int i = 0; i < std::atoi(argv[2]); ++i) std::printf("line %d\n", i);
    std::printf("the last words\n");
    return 0;
  }
  if (what == "prints") {
    for (int i = 2; i < argc; ++i) {
      const char* const value = std::getenv(argv[i]);
      std::printf("%s=%s\n", argv[i], value == nullptr ? "(unset)" : value);
    }
    std::fflush(stdout);
  }
  std::printf("ready\n");
  std::fflush(stdout);
  wait_for_ever();
}
