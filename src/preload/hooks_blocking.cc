// SPDX-License-Identifier: Apache-2.0
// What waits in ways that only the kernel or libc knows, and is simply done at home.
#include <aio.h>
#include <fcntl.h>
#include <mqueue.h>
#include <netdb.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <sys/sendfile.h>
#include <termios.h>
#include <unistd.h>

#include "preload/calls.h"
#include "preload/real.h"

// Libc's function of the name, at home. The second for those that are no cancellation points, and
// that no exception may leave.
#define WEFT_AT_HOME(name, ...) \
  return ::weft::preload::home_call(#name, [&] { return WEFT_REAL(name)(__VA_ARGS__); })
#define WEFT_AT_HOME_TO_THE_END(name, ...) \
  return ::weft::preload::uncancelled_home_call(#name, [&] { return WEFT_REAL(name)(__VA_ARGS__); })

extern "C" {

int getaddrinfo(const char* node, const char* service, const addrinfo* hints, addrinfo** result) {
  WEFT_AT_HOME(getaddrinfo, node, service, hints, result);
}

int getnameinfo(const sockaddr* address, socklen_t address_bytes, char* host, socklen_t host_bytes,
                char* service, socklen_t service_bytes, int flags) {
  WEFT_AT_HOME(getnameinfo, address, address_bytes, host, host_bytes, service, service_bytes,
               flags);
}

hostent* gethostbyname(const char* name) {
  WEFT_AT_HOME(gethostbyname, name);
}

hostent* gethostbyname2(const char* name, int family) {
  WEFT_AT_HOME(gethostbyname2, name, family);
}

int gethostbyname_r(const char* name, hostent* entry, char* buffer, size_t bytes, hostent** result,
                    int* error) {
  WEFT_AT_HOME(gethostbyname_r, name, entry, buffer, bytes, result, error);
}

int gethostbyname2_r(const char* name, int family, hostent* entry, char* buffer, size_t bytes,
                     hostent** result, int* error) {
  WEFT_AT_HOME(gethostbyname2_r, name, family, entry, buffer, bytes, result, error);
}

hostent* gethostbyaddr(const void* address, socklen_t address_bytes, int type) {
  WEFT_AT_HOME(gethostbyaddr, address, address_bytes, type);
}

int gethostbyaddr_r(const void* address, socklen_t address_bytes, int type, hostent* entry,
                    char* buffer, size_t bytes, hostent** result, int* error) {
  WEFT_AT_HOME(gethostbyaddr_r, address, address_bytes, type, entry, buffer, bytes, result, error);
}

int flock(int descriptor, int operation) noexcept {
  WEFT_AT_HOME_TO_THE_END(flock, descriptor, operation);
}

int lockf(int descriptor, int command, off_t bytes) {
  WEFT_AT_HOME(lockf, descriptor, command, bytes);
}

int lockf64(int descriptor, int command, off64_t bytes) {
  return lockf(descriptor, command, bytes);
}

ssize_t sendfile(int to, int from, off_t* offset, size_t bytes) noexcept {
  WEFT_AT_HOME_TO_THE_END(sendfile, to, from, offset, bytes);
}

ssize_t sendfile64(int to, int from, off64_t* offset, size_t bytes) noexcept {
  return sendfile(to, from, offset, bytes);
}

ssize_t splice(int from, off64_t* from_offset, int to, off64_t* to_offset, size_t bytes,
               unsigned flags) {
  WEFT_AT_HOME(splice, from, from_offset, to, to_offset, bytes, flags);
}

ssize_t tee(int from, int to, size_t bytes, unsigned flags) {
  WEFT_AT_HOME(tee, from, to, bytes, flags);
}

ssize_t vmsplice(int to, const iovec* vectors, size_t count, unsigned flags) {
  WEFT_AT_HOME(vmsplice, to, vectors, count, flags);
}

ssize_t copy_file_range(int from, off64_t* from_offset, int to, off64_t* to_offset, size_t bytes,
                        unsigned flags) {
  WEFT_AT_HOME(copy_file_range, from, from_offset, to, to_offset, bytes, flags);
}

void sync() noexcept {
  WEFT_AT_HOME_TO_THE_END(sync);
}

int syncfs(int descriptor) noexcept {
  WEFT_AT_HOME_TO_THE_END(syncfs, descriptor);
}

int msync(void* address, size_t bytes, int flags) {
  WEFT_AT_HOME(msync, address, bytes, flags);
}

int fallocate(int descriptor, int mode, off_t offset, off_t bytes) {
  WEFT_AT_HOME(fallocate, descriptor, mode, offset, bytes);
}

int fallocate64(int descriptor, int mode, off64_t offset, off64_t bytes) {
  return fallocate(descriptor, mode, offset, bytes);
}

int posix_fallocate(int descriptor, off_t offset, off_t bytes) {
  WEFT_AT_HOME(posix_fallocate, descriptor, offset, bytes);
}

int posix_fallocate64(int descriptor, off64_t offset, off64_t bytes) {
  return posix_fallocate(descriptor, offset, bytes);
}

int tcdrain(int descriptor) {
  WEFT_AT_HOME(tcdrain, descriptor);
}

int mq_send(mqd_t queue, const char* message, size_t bytes, unsigned priority) {
  WEFT_AT_HOME(mq_send, queue, message, bytes, priority);
}

int mq_timedsend(mqd_t queue, const char* message, size_t bytes, unsigned priority,
                 const timespec* time) {
  WEFT_AT_HOME(mq_timedsend, queue, message, bytes, priority, time);
}

ssize_t mq_receive(mqd_t queue, char* message, size_t bytes, unsigned* priority) {
  WEFT_AT_HOME(mq_receive, queue, message, bytes, priority);
}

ssize_t mq_timedreceive(mqd_t queue, char* message, size_t bytes, unsigned* priority,
                        const timespec* time) {
  WEFT_AT_HOME(mq_timedreceive, queue, message, bytes, priority, time);
}

int msgsnd(int queue, const void* message, size_t bytes, int flags) {
  WEFT_AT_HOME(msgsnd, queue, message, bytes, flags);
}

ssize_t msgrcv(int queue, void* message, size_t bytes, long type, int flags) {
  WEFT_AT_HOME(msgrcv, queue, message, bytes, type, flags);
}

int semop(int set, sembuf* operations, size_t count) noexcept {
  WEFT_AT_HOME_TO_THE_END(semop, set, operations, count);
}

int semtimedop(int set, sembuf* operations, size_t count, const timespec* time) noexcept {
  WEFT_AT_HOME_TO_THE_END(semtimedop, set, operations, count, time);
}

int aio_suspend(const aiocb* const list[], int count, const timespec* time) {
  WEFT_AT_HOME(aio_suspend, list, count, time);
}

int aio_suspend64(const aiocb64* const list[], int count, const timespec* time) {
  WEFT_AT_HOME(aio_suspend64, list, count, time);
}

int lio_listio(int mode, aiocb* const list[], int count, sigevent* event) noexcept {
  WEFT_AT_HOME_TO_THE_END(lio_listio, mode, list, count, event);
}

int lio_listio64(int mode, aiocb64* const list[], int count, sigevent* event) noexcept {
  WEFT_AT_HOME_TO_THE_END(lio_listio64, mode, list, count, event);
}

int gai_suspend(const gaicb* const list[], int count, const timespec* time) {
  WEFT_AT_HOME(gai_suspend, list, count, time);
}

}  // extern "C"
