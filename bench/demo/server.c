// SPDX-License-Identifier: Apache-2.0
// A plain server: a thread for each connection, blocking calls, one lock around what they share.
//
//   weft-demo-server SOCKET      try it: curl --unix-socket SOCKET http://demo/
//
// It knows nothing of weft, and is written as a textbook would.
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned long visits;

static unsigned long count_visit(void) {
  pthread_mutex_lock(&lock);
  unsigned long number = ++visits;
  pthread_mutex_unlock(&lock);
  return number;
}

// Reads a request up to the empty line behind its header; 0 at the end of the connection.
static int read_request(int connection, char* request, size_t size) {
  size_t length = 0;
  while (length + 1 < size) {
    ssize_t count = read(connection, request + length, size - 1 - length);
    if (count <= 0) return 0;
    length += (size_t)count;
    request[length] = '\0';
    if (strstr(request, "\r\n\r\n") != NULL) return 1;
  }
  return 0;
}

static int answer(int connection) {
  char body[64];
  char response[256];
  int body_length = snprintf(body, sizeof body, "You are visitor %lu.\n", count_visit());
  int length = snprintf(response, sizeof response,
                        "HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s", body_length, body);
  return write(connection, response, (size_t)length) == length;
}

static void* serve(void* argument) {
  int connection = (int)(intptr_t)argument;
  char request[1024];
  while (read_request(connection, request, sizeof request) && answer(connection)) {
  }
  close(connection);
  return NULL;
}

static int listen_at(const char* path) {
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  strncpy(address.sun_path, path, sizeof address.sun_path - 1);
  int listener = socket(AF_UNIX, SOCK_STREAM, 0);
  unlink(path);
  if (listener < 0 || bind(listener, (struct sockaddr*)&address, sizeof address) != 0 ||
      listen(listener, 1024) != 0) {
    perror(path);
    exit(1);
  }
  return listener;
}

int main(int count, char** arguments) {
  if (count != 2) {
    fprintf(stderr, "usage: %s SOCKET\n", arguments[0]);
    return 2;
  }
  signal(SIGPIPE, SIG_IGN);
  int listener = listen_at(arguments[1]);
  for (;;) {
    int connection = accept(listener, NULL, NULL);
    if (connection < 0) continue;
    pthread_t thread;
    if (pthread_create(&thread, NULL, serve, (void*)(intptr_t)connection) != 0) {
      close(connection);
      continue;
    }
    pthread_detach(thread);
  }
}
