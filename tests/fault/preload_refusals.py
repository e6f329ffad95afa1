# SPDX-License-Identifier: Apache-2.0
# Runs a program whose system calls of one kind are counted, and refused from here: the N-th, or all
# from the N-th on. By seccomp's notifications: nothing in the program knows.
import array
import contextlib
import ctypes
import errno
import fcntl
import os
import platform
import select
import signal
import socket
import struct
import tempfile
import time

BRK = 12
# What is refused together, and by which error.
CALLS = {"mmap": ([9], errno.ENOMEM), "memory": ([9, BRK], errno.ENOMEM),
         "clone3": ([435], errno.EAGAIN), "epoll_create1": ([291], errno.EMFILE),
         "epoll_ctl": ([233], errno.ENOMEM), "eventfd2": ([290], errno.EMFILE),
         "io_uring_setup": ([425], errno.EPERM), "openat": ([257], errno.EMFILE)}
SECCOMP, SET_MODE_FILTER, NEW_LISTENER, WAIT_KILLABLE = 317, 1, 8, 32
RETURN_ALLOW, RETURN_NOTIFY = 0x7FFF0000, 0x7FC00000
RECEIVE, SEND = 0xC0502100, 0xC0182101
CONTINUE = 1
NOTICE = struct.Struct("QIIiIQ6Q")
RESPONSE = struct.Struct("QqiI")


# What one run showed. status: as subprocess has it; None: it hung, and was killed.
class Outcome:
    def __init__(self, output, errors, status, seen, refused):
        self.output, self.errors, self.status = output, errors, status
        self.seen, self.refused = seen, refused

    def __str__(self):
        return (f"status {self.status}, refused {self.refused} of {self.seen}, "
                f"output {self.output!r}, errors {self.errors!r}")


# Why this machine cannot, or none.
def obstacle():
    if platform.machine() != "x86_64":
        return "the numbers of system calls are those of x86-64"
    read_end, write_end = os.pipe()
    if os.fork() == 0:
        with contextlib.suppress(OSError):
            os.write(write_end, b"1" if install_filter(CALLS["io_uring_setup"][0]) >= 0 else b"0")
        os._exit(0)
    os.close(write_end)
    works = os.read(read_end, 1) == b"1"
    os.close(read_end)
    os.wait()
    return None if works else "seccomp's notifications are not to be had here"


# In the child: from now on the calls of these numbers ask whoever has the descriptor.
def install_filter(numbers):
    code = [(0x20, 0, 0, 0)]
    for number in numbers:
        code += [(0x15, 0, 1, number), (0x06, 0, 0, RETURN_NOTIFY)]
    code.append((0x06, 0, 0, RETURN_ALLOW))
    text = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *line) for line in code))
    program = ctypes.create_string_buffer(struct.pack("HxxxxxxQ", len(code),
                                                      ctypes.addressof(text)))
    libc = ctypes.CDLL(None, use_errno=True)
    libc.prctl(38, 1, 0, 0, 0)  # no new privileges
    return libc.syscall(SECCOMP, SET_MODE_FILTER, NEW_LISTENER | WAIT_KILLABLE, program)


def become(command, numbers, channel, output, errors):
    try:
        os.setsid()
        os.dup2(output, 1)
        os.dup2(errors, 2)
        with open(os.devnull) as nothing:
            os.dup2(nothing.fileno(), 0)
        environment = {"PATH": "/usr/bin:/bin", "LANG": "C"}
        words = [os.fsencode(word) for word in command]
        listener = array.array("i", [install_filter(numbers)])
        channel.sendmsg([b"l"], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, listener)])
        os.close(listener[0])
        os.execve(words[0], words, environment)
    finally:
        os._exit(127)


def receive_listener(channel):
    _, extra, _, _ = channel.recvmsg(1, socket.CMSG_SPACE(4))
    return array.array("i", extra[0][2][:4])[0]


# Whether the call came from the library, or from libc in a process that has the library: not from
# the loader, and not from programs that were executed.
class Callers:
    def __init__(self):
        self.known = {}

    def is_ours(self, thread, address):
        key = (thread, address)
        if key not in self.known:
            self.known[key] = self.look(thread, address)
        return self.known[key]

    def look(self, thread, address):
        has_library, name = False, ""
        with contextlib.suppress(OSError), open(f"/proc/{thread}/maps") as maps:
            for line in maps:
                words = line.split()
                path = words[5] if len(words) > 5 else ""
                has_library |= "libweft-preload" in path
                first, last = (int(word, 16) for word in words[0].split("-"))
                if first <= address < last:
                    name = os.path.basename(path)
        return has_library and name.startswith(("libweft-preload", "libc.so", "libc-"))


# Answers the calls until nobody is left to ask, or until the time is over.
def answer(listener, is_refused, error, until):
    callers, seen, refused = Callers(), 0, 0
    waiting = select.poll()
    waiting.register(listener, select.POLLIN)
    while time.monotonic() < until:
        events = waiting.poll(1000)
        if not events:
            continue
        if events[0][1] & select.POLLIN == 0:
            break
        notice = bytearray(NOTICE.size)
        try:
            fcntl.ioctl(listener, RECEIVE, notice)
            notice_id, thread, _, call, _, address, argument, *_ = NOTICE.unpack(notice)
            response = (0, 0, CONTINUE)
            # brk(0) asks, and cannot fail; another answers 0 where it does.
            if callers.is_ours(thread, address) and (call, argument) != (BRK, 0):
                seen += 1
                if is_refused(seen):
                    refused += 1
                    response = (0, 0 if call == BRK else -error, 0)
            fcntl.ioctl(listener, SEND, bytearray(RESPONSE.pack(notice_id, *response)))
        except OSError as failure:
            if failure.errno not in (errno.ENOENT, errno.EINTR):  # it was killed meanwhile
                raise
    return seen, refused


def end_of(child, until):
    while True:
        ended, status = os.waitpid(child, os.WNOHANG)
        if ended != 0:
            return os.waitstatus_to_exitcode(status)
        if time.monotonic() > until:
            return None
        time.sleep(0.005)


def kill_session(leader):
    for entry in os.listdir("/proc"):
        if entry.isdigit():
            with contextlib.suppress(OSError):
                if os.getsid(int(entry)) == leader:
                    os.kill(int(entry), signal.SIGKILL)


# call: a name of CALLS; is_refused: called with 1, 2, 3 …, the number of this call in the run.
def run(command, call, is_refused, seconds=30):
    numbers, error = CALLS[call]
    until = time.monotonic() + seconds
    ours, theirs = socket.socketpair()
    with ours, theirs, tempfile.TemporaryFile() as output, tempfile.TemporaryFile() as errors:
        child = os.fork()
        if child == 0:
            become(command, numbers, theirs, output.fileno(), errors.fileno())
        listener = receive_listener(ours)
        seen, refused = answer(listener, is_refused, error, until)
        status = end_of(child, until)
        if status is None:
            kill_session(child)
            os.waitpid(child, 0)
        os.close(listener)
        texts = []
        for file in (output, errors):
            file.seek(0)
            texts.append(file.read().decode(errors="backslashreplace"))
        return Outcome(*texts, status, seen, refused)
