// SPDX-License-Identifier: Apache-2.0
// getaddrinfo and getnameinfo give the same answers in eight threads at once as in main.
#include "../io_support.h"

#include <netdb.h>

static void resolve(void) {
  const struct addrinfo hints = {.ai_family = AF_INET, .ai_socktype = SOCK_STREAM};
  struct addrinfo* found;
  for (int i = 0; i < 20; ++i) {
    CHECK(getaddrinfo("localhost", "80", &hints, &found) == 0);
    const struct sockaddr_in* address = (const struct sockaddr_in*)found->ai_addr;
    CHECK(address->sin_addr.s_addr == htonl(INADDR_LOOPBACK));
    CHECK(address->sin_port == htons(80));
    char host[NI_MAXHOST], service[NI_MAXSERV];
    CHECK(getnameinfo(found->ai_addr, found->ai_addrlen, host, sizeof host, service, sizeof service,
                      NI_NUMERICHOST | NI_NUMERICSERV) == 0);
    CHECK(strcmp(host, "127.0.0.1") == 0 && strcmp(service, "80") == 0);
    freeaddrinfo(found);
  }
  const struct addrinfo numeric = {.ai_flags = AI_NUMERICHOST};
  CHECK(getaddrinfo("not-a-number", NULL, &numeric, &found) == EAI_NONAME);
}

static void* resolve_in_thread(void* unused) {
  (void)unused;
  resolve();
  return NULL;
}

int main(void) {
  resolve();
  in_threads(8, resolve_in_thread);
  printf("localhost is 127.0.0.1\n");
  return 0;
}
