// SPDX-License-Identifier: Apache-2.0
// Mappings: libc's; what is shared with other processes is noted.
#include <sys/mman.h>
#include <sys/shm.h>

#include <cstdarg>

#include "preload/real.h"
#include "preload/shared_memory.h"

using namespace weft::preload;

extern "C" {

void* mmap(void* address, size_t bytes, int protection, int flags, int descriptor,
           off_t offset) noexcept {
  void* const result = WEFT_REAL(mmap)(address, bytes, protection, flags, descriptor, offset);
  note_mapping(result, bytes, flags);
  return result;
}

int munmap(void* address, size_t bytes) noexcept {
  // Before: somebody else may map something there as soon as it is free.
  shared_memory.forget(address, bytes);
  return WEFT_REAL(munmap)(address, bytes);
}

void* mremap(void* address, size_t bytes_before, size_t bytes, int flags, ...) noexcept {
  va_list more;
  va_start(more, flags);
  void* const wanted =
      (flags & (MREMAP_FIXED | MREMAP_DONTUNMAP)) != 0 ? va_arg(more, void*) : nullptr;
  va_end(more);
  const bool is_shared = shared_memory.has(address);
  void* const result = WEFT_REAL(mremap)(address, bytes_before, bytes, flags, wanted);
  if (result == MAP_FAILED) return result;
  if (result != address) shared_memory.forget(address, bytes_before);
  note_mapping(result, bytes, is_shared ? MAP_SHARED : MAP_PRIVATE);
  return result;
}

void* mmap64(void* address, size_t bytes, int protection, int flags, int descriptor,
             off64_t offset) noexcept {
  return mmap(address, bytes, protection, flags, descriptor, offset);
}

void* shmat(int segment, const void* address, int flags) noexcept {
  shmid_ds description{};
  void* const result = WEFT_REAL(shmat)(segment, address, flags);
  if (result == MAP_FAILED) return result;
  const bool is_known = shmctl(segment, IPC_STAT, &description) == 0;
  note_mapping(result, is_known ? description.shm_segsz : 1, MAP_SHARED);
  return result;
}

int shmdt(const void* address) noexcept {
  shared_memory.forget_at(address);
  return WEFT_REAL(shmdt)(address);
}

}  // extern "C"
