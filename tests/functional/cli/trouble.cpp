// What can go wrong with a worker, as a library to preload into it: TROUBLE names it, and it
// befalls rank 1.
#include <signal.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace {

bool befalls(const char* what) {
  const char* trouble = getenv("TROUBLE");
  const char* slot = getenv("ALLPROVE_SLOT");
  return trouble != nullptr && slot != nullptr && strcmp(slot, "1") == 0 &&
         strcmp(trouble, what) == 0;
}

void send_garbage(void) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const char* path = getenv("ALLPROVE_CONNECT");
  if (path == nullptr) return;
  strncpy(address.sun_path, path, sizeof address.sun_path - 1);
  const int fd = socket(AF_UNIX, SOCK_STREAM, 0);
  if (connect(fd, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) return;
  char garbage[65536];
  for (unsigned i = 0; i < sizeof garbage; ++i) garbage[i] = static_cast<char>(i * 131 + 7);
  if (write(fd, garbage, sizeof garbage) < 0) perror("garbage");
}

__attribute__((constructor)) void make_trouble(void) {
  if (befalls("exits")) _exit(3);
  if (befalls("exits_well")) _exit(0);
  if (befalls("crashes")) raise(SIGSEGV);
  if (befalls("complains")) {
    fprintf(stderr, "a reason to be seen\n");
    _exit(7);
  }
  if (befalls("never_connects")) {
    for (;;) pause();
  }
  if (befalls("wrong_token")) setenv("ALLPROVE_TOKEN", "00000000000000000000", 1);
  if (befalls("garbage")) {
    send_garbage();
    _exit(0);
  }
}

// As MPI_Abort() does it under PMI-1, where the launcher is to end the rank.
void call_for_an_abort(void) {
  const char* fd = getenv("PMI_FD");
  if (fd != nullptr) dprintf(atoi(fd), "cmd=abort exitcode=7\n");
  for (;;) pause();
}

}  // namespace

// The worker's third message (after its hello and that it is ready) becomes garbage, finds its
// descriptor closed, or is never sent.
extern "C" ssize_t sendmsg(int fd, const msghdr* message, int flags) {
  static int sent;
  ++sent;
  if (befalls("closes_later") && sent > 2) close(fd);
  if (befalls("aborts_later") && sent > 2) call_for_an_abort();
  if (befalls("garbage_later") && sent > 2) {
    char garbage[64];
    memset(garbage, 0xee, sizeof garbage);
    if (send(fd, garbage, sizeof garbage, flags) < 0) return -1;
    return static_cast<ssize_t>(message->msg_iov[0].iov_len);
  }
  return syscall(SYS_sendmsg, fd, message, flags);
}
