// SPDX-License-Identifier: Apache-2.0
// A minimal io_uring by raw system calls: one submission at a time, waits in io_uring_enter.
#pragma once

#include "../io_support.h"

#include <linux/io_uring.h>
#include <sys/mman.h>
#include <sys/syscall.h>

struct completion {
  uint64_t user_data;
  int res;
};

struct ring {
  int fd;
  struct io_uring_params parameters;
  char* submissions;
  char* completions;
  struct io_uring_sqe* entries;
};

// Says whether there is a ring; where the kernel or its policy has none, the program does without.
static inline bool open_ring(struct ring* ring, unsigned entries) {
  memset(ring, 0, sizeof *ring);
  ring->fd = (int)syscall(SYS_io_uring_setup, entries, &ring->parameters);
  if (ring->fd < 0) return false;
  const struct io_uring_params* p = &ring->parameters;
  ring->submissions = mmap(NULL, p->sq_off.array + p->sq_entries * sizeof(uint32_t),
                           PROT_READ | PROT_WRITE, MAP_SHARED, ring->fd, IORING_OFF_SQ_RING);
  ring->completions = mmap(NULL, p->cq_off.cqes + p->cq_entries * sizeof(struct io_uring_cqe),
                           PROT_READ | PROT_WRITE, MAP_SHARED, ring->fd, IORING_OFF_CQ_RING);
  ring->entries = mmap(NULL, p->sq_entries * sizeof(struct io_uring_sqe), PROT_READ | PROT_WRITE,
                       MAP_SHARED, ring->fd, IORING_OFF_SQES);
  CHECK(ring->submissions != MAP_FAILED && ring->completions != MAP_FAILED);
  CHECK(ring->entries != MAP_FAILED);
  return true;
}

static inline _Atomic(uint32_t)* ring_word(char* base, uint32_t offset) {
  return (_Atomic(uint32_t)*)(base + offset);
}

static inline void queue_entry(struct ring* ring, const struct io_uring_sqe* entry) {
  const struct io_sqring_offsets* offsets = &ring->parameters.sq_off;
  _Atomic(uint32_t)* tail = ring_word(ring->submissions, offsets->tail);
  const uint32_t place = atomic_load(tail);
  const uint32_t index = place & (ring->parameters.sq_entries - 1);
  ring->entries[index] = *entry;
  atomic_store(ring_word(ring->submissions, offsets->array + index * 4), index);
  atomic_store(tail, place + 1);
}

static inline long enter_ring(struct ring* ring, unsigned submit_count, unsigned wait_count) {
  return syscall(SYS_io_uring_enter, ring->fd, submit_count, wait_count,
                 wait_count > 0 ? IORING_ENTER_GETEVENTS : 0, NULL, 0);
}

// Takes a completion that is there; returns false when there is none.
static inline bool take_completion(struct ring* ring, struct completion* completion) {
  const struct io_cqring_offsets* offsets = &ring->parameters.cq_off;
  _Atomic(uint32_t)* head = ring_word(ring->completions, offsets->head);
  const uint32_t place = atomic_load(head);
  if (place == atomic_load(ring_word(ring->completions, offsets->tail))) return false;
  const struct io_uring_cqe* all = (const struct io_uring_cqe*)(ring->completions + offsets->cqes);
  const struct io_uring_cqe* entry = &all[place & (ring->parameters.cq_entries - 1)];
  *completion = (struct completion){.user_data = entry->user_data, .res = entry->res};
  atomic_store(head, place + 1);
  return true;
}

// Waits in the kernel until there is a completion.
static inline struct completion wait_completion(struct ring* ring) {
  struct completion completion;
  while (!take_completion(ring, &completion)) {
    CHECK(enter_ring(ring, 0, 1) >= 0 || errno == EINTR);
  }
  return completion;
}

static inline void close_ring(struct ring* ring) {
  const struct io_uring_params* p = &ring->parameters;
  munmap(ring->entries, p->sq_entries * sizeof(struct io_uring_sqe));
  munmap(ring->completions, p->cq_off.cqes + p->cq_entries * sizeof(struct io_uring_cqe));
  munmap(ring->submissions, p->sq_off.array + p->sq_entries * sizeof(uint32_t));
  close(ring->fd);
}
