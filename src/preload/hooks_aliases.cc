// SPDX-License-Identifier: Apache-2.0
// Other names that libc has for what is interposed.
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdarg>
#include <ctime>

extern "C" {

int __pthread_mutex_init(pthread_mutex_t* mutex, const pthread_mutexattr_t* attributes) {
  return pthread_mutex_init(mutex, attributes);
}
int __pthread_mutex_destroy(pthread_mutex_t* mutex) {
  return pthread_mutex_destroy(mutex);
}
int __pthread_mutex_lock(pthread_mutex_t* mutex) {
  return pthread_mutex_lock(mutex);
}
int __pthread_mutex_trylock(pthread_mutex_t* mutex) {
  return pthread_mutex_trylock(mutex);
}
int __pthread_mutex_unlock(pthread_mutex_t* mutex) {
  return pthread_mutex_unlock(mutex);
}
int __pthread_rwlock_init(pthread_rwlock_t* lock, const pthread_rwlockattr_t* attributes) {
  return pthread_rwlock_init(lock, attributes);
}
int __pthread_rwlock_destroy(pthread_rwlock_t* lock) {
  return pthread_rwlock_destroy(lock);
}
int __pthread_rwlock_rdlock(pthread_rwlock_t* lock) {
  return pthread_rwlock_rdlock(lock);
}
int __pthread_rwlock_tryrdlock(pthread_rwlock_t* lock) {
  return pthread_rwlock_tryrdlock(lock);
}
int __pthread_rwlock_wrlock(pthread_rwlock_t* lock) {
  return pthread_rwlock_wrlock(lock);
}
int __pthread_rwlock_trywrlock(pthread_rwlock_t* lock) {
  return pthread_rwlock_trywrlock(lock);
}
int __pthread_rwlock_unlock(pthread_rwlock_t* lock) {
  return pthread_rwlock_unlock(lock);
}
int __pthread_once(pthread_once_t* once, void (*routine)()) {
  return pthread_once(once, routine);
}

ssize_t __read(int descriptor, void* buffer, size_t bytes) {
  return read(descriptor, buffer, bytes);
}
ssize_t __write(int descriptor, const void* buffer, size_t bytes) {
  return write(descriptor, buffer, bytes);
}
ssize_t __pread64(int descriptor, void* buffer, size_t bytes, off64_t offset) {
  return pread64(descriptor, buffer, bytes, offset);
}
ssize_t __pwrite64(int descriptor, const void* buffer, size_t bytes, off64_t offset) {
  return pwrite64(descriptor, buffer, bytes, offset);
}
int __close(int descriptor) {
  return close(descriptor);
}
int __dup2(int descriptor, int number) {
  return dup2(descriptor, number);
}
int __pipe(int ends[2]) {
  return pipe(ends);
}
ssize_t __send(int descriptor, const void* buffer, size_t bytes, int flags) {
  return send(descriptor, buffer, bytes, flags);
}
int __connect(int descriptor, const sockaddr* address, socklen_t address_bytes) {
  return connect(descriptor, address, address_bytes);
}
int __poll(pollfd* descriptors, nfds_t count, int milliseconds) {
  return poll(descriptors, count, milliseconds);
}
int __select(int count, fd_set* read, fd_set* write, fd_set* except, timeval* time) {
  return select(count, read, write, except, time);
}
int __nanosleep(const timespec* time, timespec* left) {
  return nanosleep(time, left);
}
int __sched_yield() {
  return sched_yield();
}
long __sysconf(int name) {
  return sysconf(name);
}

int __fcntl(int descriptor, int command, ...) {
  va_list list;
  va_start(list, command);
  void* const argument = va_arg(list, void*);
  va_end(list);
  return fcntl(descriptor, command, argument);
}

int __open(const char* path, int flags, ...) {
  va_list list;
  va_start(list, flags);
  const mode_t mode = va_arg(list, mode_t);
  va_end(list);
  return open(path, flags, mode);
}

int __open64(const char* path, int flags, ...) {
  va_list list;
  va_start(list, flags);
  const mode_t mode = va_arg(list, mode_t);
  va_end(list);
  return open64(path, flags, mode);
}

}  // extern "C"
