#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Checks what the engine's archives ask of libc: nothing that a preload library may interpose.
#
# Usage: engine_symbols.py ARCHIVE... The list is of what is allowed, so that a new name is a decision.
import re
import subprocess
import sys

ALLOWED = {
    # Memory and text: no locks of ours, no waiting.
    "memcpy", "memmove", "memset", "memchr", "memcmp", "strlen", "pthread_attr_getdetachstate",
    "__cxa_thread_atexit_impl", "__dso_handle",
    # Clocks in the vdso, the auxiliary vector, the loader.
    "clock_gettime", "getauxval", "dlsym", "__tls_get_addr", "__rseq_offset", "__rseq_size",
    # The end of a process whose invariants are broken.
    "abort", "__stack_chk_fail", "_ZSt9terminatev", "__assert_fail",
    # The linker's.
    "_GLOBAL_OFFSET_TABLE_",
}
# The C++ runtime, which a preload library links statically: allocation and exceptions.
ALLOWED_PATTERNS = (r"_Zn[wa]m.*", r"_Zd[la]Pv.*", r"__gxx_personality_v0", r"_Unwind_Resume",
                    r"__cxa_(begin_catch|end_catch|rethrow|throw_bad_array_new_length|pure_virtual)",
                    r"_ZSt\d+__throw_.*", r"_ZTVN10__cxxabiv1.*")
OURS = re.compile(r"_Z[A-Z]*N?K?4weft|weft_|_ZN4weft|_ZNK4weft|_ZTVN4weft|_ZTIN4weft|_ZTHN4weft")


def undefined(archive):
    listing = subprocess.run(["nm", "-u", "-A", archive], capture_output=True, text=True, check=True)
    for line in listing.stdout.splitlines():
        match = re.match(r"(?P<member>.*):\s+[UwV]\s+(?P<name>\S+)$", line)
        if match:
            yield match["member"], match["name"]


def main(archives):
    if not archives:
        sys.exit("usage: engine_symbols.py ARCHIVE...")
    faults, looked_at = [], 0
    for archive in archives:
        for member, name in undefined(archive):
            looked_at += 1
            fine = (name in ALLOWED or OURS.match(name)
                    or any(re.fullmatch(pattern, name) for pattern in ALLOWED_PATTERNS))
            if not fine:
                faults.append(f"{member}: asks for {name}, which the preload may interpose; call the "
                              "kernel with os::call(), or allow it in tests/checks/engine_symbols.py")
    if looked_at == 0:
        sys.exit("no undefined symbols at all: these are not the engine's archives")
    print("\n".join(faults) if faults else f"{looked_at} undefined symbols, all allowed")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
