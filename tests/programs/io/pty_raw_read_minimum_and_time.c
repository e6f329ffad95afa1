// SPDX-License-Identifier: Apache-2.0
// A raw terminal read keeps VMIN and VTIME: it waits for the minimum, or for the time to pass.
#include "../io_support.h"

#include <pty.h>
#include <termios.h>

static int master, slave;

static void* type_slowly(void* unused) {
  (void)unused;
  for (int i = 0; i < 3; ++i) {
    let_it_block();
    write_all(master, "k", 1);
  }
  return NULL;
}

static void body(void) {
  char keys[8];
  CHECK(openpty(&master, &slave, NULL, NULL, NULL) == 0);
  struct termios settings;
  CHECK(tcgetattr(slave, &settings) == 0);
  cfmakeraw(&settings);
  settings.c_cc[VMIN] = 3;
  settings.c_cc[VTIME] = 0;
  CHECK(tcsetattr(slave, TCSANOW, &settings) == 0);
  const pthread_t typist = start(type_slowly, NULL);
  show("at least three", read(slave, keys, sizeof keys));
  finish(typist);
  settings.c_cc[VMIN] = 0;
  settings.c_cc[VTIME] = 1;
  CHECK(tcsetattr(slave, TCSANOW, &settings) == 0);
  show("a tenth of a second", read(slave, keys, sizeof keys));
  close(slave);
  close(master);
}

int main(void) {
  in_main_and_thread(body);
  return 0;
}
