// SPDX-License-Identifier: Apache-2.0
// A futex without the private flag reaches other processes in shared memory, whatever made it.
#include "futex.h"

#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/shm.h>

enum { ROUNDS = 20, BYTES = 4096 };

static void play(atomic_int* turn, int parity) {
  for (int i = 0; i < ROUNDS; ++i) {
    const int wanted = 2 * i + parity;
    for (int seen; (seen = atomic_load(turn)) != wanted;) {
      const long result = futex(turn, FUTEX_WAIT, seen, NULL, NULL, 0);
      CHECK(result == 0 || errno == EAGAIN || errno == EINTR);
    }
    atomic_store(turn, wanted + 1);
    CHECK(futex(turn, FUTEX_WAKE, INT32_MAX, NULL, NULL, 0) >= 0);
  }
}

static void* play_first(void* turn) {
  play(turn, 0);
  return NULL;
}

// A child and a thread of ours take turns.
static void play_with_child(const char* kind, atomic_int* turn) {
  CHECK(turn != MAP_FAILED);
  atomic_store(turn, 0);
  const pid_t child = fork();
  CHECK(child >= 0);
  if (child == 0) {
    play(turn, 1);
    _exit(0);
  }
  finish(start(play_first, turn));
  int status;
  CHECK(waitpid(child, &status, 0) == child && status == 0);
  printf("%s: %d turns\n", kind, atomic_load(turn));
  fflush(stdout);
}

static void* map_shared(int descriptor, off_t offset) {
  return mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, offset);
}

int main(void) {
  const int memory = memfd_create("turns", 0);
  CHECK(memory >= 0 && ftruncate(memory, 4 * BYTES) == 0);
  atomic_int* const mapped = map_shared(memory, 0);
  play_with_child("a file's", mapped);

  atomic_int* const moved = mremap(mapped, BYTES, 2 * BYTES, MREMAP_MAYMOVE);
  play_with_child("a larger one", moved + BYTES / sizeof(*moved));

  // Where private memory was, which was waited for before.
  void* const place = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  CHECK(place != MAP_FAILED);
  CHECK(futex(place, FUTEX_WAIT, 1, NULL, NULL, 0) == -1 && errno == EAGAIN);
  CHECK(mmap(place, BYTES, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, memory, 0) == place);
  play_with_child("in another's place", place);

  const long directly =
      syscall(SYS_mmap, NULL, (size_t)BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, memory, (off_t)0);
  play_with_child("by system call", (void*)directly);

  const int segment = shmget(IPC_PRIVATE, BYTES, IPC_CREAT | 0600);
  CHECK(segment >= 0);
  atomic_int* const attached = shmat(segment, NULL, 0);
  CHECK(shmctl(segment, IPC_RMID, NULL) == 0);
  play_with_child("a segment", attached);
  CHECK(shmdt(attached) == 0 && munmap(place, BYTES) == 0);

  // More than anybody keeps books of.
  atomic_int* last = NULL;
  for (int i = 0; i < 300; ++i) last = map_shared(memory, (i % 4) * BYTES);
  play_with_child("the last of many", last);
  return 0;
}
