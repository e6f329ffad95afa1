// SPDX-License-Identifier: Apache-2.0
// /dev/null swallows and ends, /dev/zero gives zeroes, /dev/full has no space.
#include "../io_support.h"

static void body(void) {
  char buffer[64];
  memset(buffer, 'x', sizeof buffer);
  const int null = open("/dev/null", O_RDWR), zero = open("/dev/zero", O_RDWR),
            full = open("/dev/full", O_RDWR);
  show("null write", write(null, buffer, sizeof buffer));
  show("null read", read(null, buffer, sizeof buffer));
  show("full write", write(full, buffer, sizeof buffer));
  show("zero read", read(zero, buffer, sizeof buffer));
  int zeroes = 0;
  for (size_t i = 0; i < sizeof buffer; ++i) zeroes += buffer[i] == 0;
  printf("%d zeroes\n", zeroes);
  show("zero pread", pread(zero, buffer, sizeof buffer, 1000));
  FILE* stream = fdopen(full, "w");
  CHECK(fputs("no room", stream) >= 0);
  show("flush", fflush(stream) == 0 ? 0 : -1);
  close(null);
  close(zero);
  fclose(stream);
}

int main(void) {
  in_main_and_thread(body);
  return 0;
}
