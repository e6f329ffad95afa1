// SPDX-License-Identifier: Apache-2.0
// msgrcv of an empty queue and msgsnd to a full one are cancellation points.

#include "support.h"

#include <sys/ipc.h>
#include <sys/msg.h>

#include "cancelling.h"

static int queue;
static struct {
  long type;
  char text[1024];
} message = {1, {0}};

static void in_receive(void) {
  CHECK(msgrcv(queue, &message, sizeof message.text, 2, 0) == 99);
}
static void in_send(void) {
  CHECK(msgsnd(queue, &message, sizeof message.text, 0) == 99);
}

int main(void) {
  queue = msgget(IPC_PRIVATE, IPC_CREAT | 0600);
  if (queue == -1) {
    say("no message queues here: %s\n", error_name(errno));
    return 77;
  }
  while (msgsnd(queue, &message, sizeof message.text, IPC_NOWAIT) == 0) {
  }
  cancel_in("msgrcv", in_receive);
  cancel_in("msgsnd", in_send);
  OK(msgctl(queue, IPC_RMID, NULL));
  return 0;
}
