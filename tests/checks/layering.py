#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
# Checks who includes whom: dependencies go down only, and CMake says the same as this table.
import posixpath
import re

from tree import Check

# Each folder of src/, and the ones it builds on. What those build on comes with them.
MODULES = {
    "base": [],
    "arch": ["base"],
    "os": ["base", "arch"],
    "measure": ["base"],
    "wire": ["base"],
    "budget": ["os"],
    "inspect": ["os", "budget"],
    "sandbox": ["os", "budget"],
    "bench": ["os"],
    "trial": ["bench", "sandbox"],
    "model": ["base", "arch"],
    # The runtime.
    "fiber": ["os"],
    "sched": ["fiber"],
    "sync": ["sched"],
    "engine": ["sync", "budget", "cancel"],
    "symbols": ["sched"],
    "view": ["sched"],
    "preload": ["sync", "budget"],
    # The library.
    "context": ["os"],
    "cancel": ["context"],
    "log": ["context"],
    "admission": ["budget"],
    "pool": ["measure", "budget", "cancel"],
    "coroutine": ["cancel", "pool"],
    "sql": ["measure", "budget", "cancel"],
    "net": ["os"],
    "http": ["pool"],
    "serve": ["http", "net", "engine", "admission"],
    "load": ["measure", "net"],
    "service": ["serve", "admission", "coroutine", "grpc", "sql", "log", "wire"],
    "grpc": ["coroutine", "admission", "net", "wire"],
}
# The library is useful without the preload, and the preload never pulls in the library.
APART = (("fiber", "sched", "sync", "preload"), ("context", "cancel", "admission", "pool", "http", "grpc"))

# Each header of include/weft/, and the module that implements it.
PUBLIC_HEADERS = {
    "admission.h": "admission",
    "admission_control.h": "admission",
    "bounded_queue.h": "pool",
    "budget.h": "budget",
    "budget_watch.h": "budget",
    "cancel.h": "cancel",
    "cancel_wait.h": "cancel",
    "context.h": "context",
    "context_executor.h": "coroutine",
    "coroutine_sync.h": "coroutine",
    "coroutines.h": "coroutine",
    "fiber_io.h": "engine",
    "fiber_sync.h": "engine",
    "fibers.h": "engine",
    "log.h": "log",
    "otel.h": "context",
    "grpc_call.h": "grpc",
    "grpc_method.h": "grpc",
    "grpc_queue.h": "grpc",
    "grpc_server.h": "grpc",
    "grpc_wire.h": "grpc",
    "pool.h": "pool",
    "pressure.h": "budget",
    "service.h": "service",
    "sql.h": "sql",
    "sql_migrations.h": "sql",
    "sql_pool.h": "sql",
    "trace.h": "context",
}

# Public headers that are about another library, whose users have it: they may include it.
LIBRARIES = {
    "context_executor.h": ("boost",),
    "coroutine_sync.h": ("boost",),
    "coroutines.h": ("boost",),
    "grpc_call.h": ("boost", "grpcpp"),
    "grpc_method.h": ("boost", "grpcpp"),
    "grpc_queue.h": ("boost", "grpcpp"),
    "grpc_server.h": ("boost", "grpcpp"),
    "grpc_wire.h": ("google", "grpcpp"),
    "log.h": ("spdlog",),
    "otel.h": ("opentelemetry",),
    "service.h": ("spdlog",),
}

# The other folders with sources in them, and whose files they may include besides their own.
FOLDERS = {
    "tools": ["src", "include"],
    "bench": ["src", "include"],
    "examples": ["include"],
    "services": ["include"],
    "tests": ["src", "include", "tools", "bench", "examples"],
}

HERE = "tests/checks/layering.py"
INCLUDE = re.compile(r'^\s*#\s*include\s*(?P<open>[<"])(?P<name>[^>"]+)[>"]')
SOURCES = (".cc", ".h", ".c", ".cpp", ".hpp", ".S", ".def")
STANDARD_CXX = re.compile(r"^[a-z_0-9]+$")
STANDARD_C = set("""
    aio.h arpa/inet.h assert.h complex.h cpio.h ctype.h dirent.h dlfcn.h endian.h errno.h fcntl.h
    fenv.h float.h fnmatch.h ftw.h glob.h grp.h iconv.h inttypes.h iso646.h langinfo.h libgen.h
    limits.h locale.h math.h monetary.h mqueue.h net/if.h netdb.h netinet/in.h netinet/tcp.h
    nl_types.h poll.h pthread.h pwd.h regex.h sched.h search.h semaphore.h setjmp.h signal.h spawn.h
    stdalign.h stdarg.h stdatomic.h stdbool.h stddef.h stdint.h stdio.h stdlib.h stdnoreturn.h
    string.h strings.h sys/ipc.h sys/mman.h sys/msg.h sys/resource.h sys/select.h sys/sem.h
    sys/shm.h sys/socket.h sys/stat.h sys/statvfs.h sys/time.h sys/times.h sys/types.h sys/uio.h
    sys/un.h sys/utsname.h sys/wait.h syslog.h tar.h termios.h tgmath.h threads.h time.h uchar.h
    unistd.h utime.h utmpx.h wchar.h wctype.h wordexp.h""".split())


# The modules below one, and itself.
def reach(module, path=()):
    if module in path:
        raise ValueError(" <- ".join((*path, module)))
    return {module}.union(*(reach(below, (*path, module)) for below in MODULES[module]))


# The file of the tree that an #include names, or where it would be; none for what is not ours.
def included(files, including, name, quoted):
    beside = posixpath.normpath(posixpath.join(posixpath.dirname(including), name))
    candidates = [beside] if quoted else []
    candidates += [f"include/{name}", f"src/{name}", posixpath.normpath(name)]
    for candidate in candidates:
        if candidate in files:
            return candidate
    top = name.split("/")[0]
    if "/" not in name:
        return None
    if top == "weft" and not including.startswith("tools/"):
        return f"include/{name}"
    if top in MODULES:
        return f"src/{name}"
    return name if top in FOLDERS else None


# The module that a file of src/ or include/weft/ belongs to; none if it belongs to none.
def module_of(path):
    parts = path.split("/")
    if parts[0] == "include":
        return PUBLIC_HEADERS.get("/".join(parts[2:]))
    return parts[1] if len(parts) > 2 and parts[1] in MODULES else None


# What is wrong with one #include and what to do, or none.
def wrong_include(files, including, name, quoted):
    top = including.split("/")[0]
    target = included(files, including, name, quoted)
    shown = f'"{name}"' if quoted else f"<{name}>"
    if target is None:
        allowed = LIBRARIES.get(including.removeprefix("include/weft/"), ())
        if top == "include" and not (STANDARD_CXX.match(name) or name in STANDARD_C
                                     or name.split("/")[0] in allowed):
            return (f"a public header includes {shown}, which is neither weft's nor standard",
                    "keep it in the implementation, or forward-declare what is needed")
        if top == "src" and quoted:
            return f"{shown} is nowhere in the tree", 'write "module/file.h", or <…> if not ours'
        return None

    target_top = target.split("/")[0]
    if top == "include":
        if target_top != "include" or quoted:
            return (f"a public header includes {shown}",
                    "include only <weft/…> and standard headers: the rest is not installed")
    elif top == "examples":
        if target_top != "include" or quoted:
            return (f"an example includes {shown}",
                    "include only <weft/…>: an example is what a user can write")
    elif top in FOLDERS:
        if target_top != top and target_top not in FOLDERS[top]:
            return f"{top}/ includes {shown} of {target_top}/", may_include(FOLDERS[top])
        return None
    elif target_top not in ("src", "include"):
        return (f"src/ includes {shown} of {target_top}/",
                "move what is shared into a module of src/")
    elif target_top == "src" and target != f"src/{name}" and name.split("/")[0] != module_of(target):
        return f"{shown} is included relative to its folder", f'write "{target[4:]}"'
    if top not in ("src", "include"):
        return None

    source, owner = module_of(including), module_of(target)
    if source and owner and owner not in reach(source):
        return (f"{source} includes {shown} of {owner}, which is not below it",
                may_include(sorted(reach(source) - {source})))
    return None


def may_include(allowed):
    return f"it may include {', '.join(allowed) or 'no other'} and itself, see the table in {HERE}"


# Checks the folders themselves: each is in the table, and its CMakeLists.txt says the same.
def check_modules(check):
    folders = {}
    for path in check.tree.files:
        if path.startswith("src/") and path != "src/CMakeLists.txt":
            folders.setdefault(path.split("/")[1], path)
    for folder, first_file in sorted(folders.items()):
        if f"src/{folder}" == first_file:
            check.fault(first_file, 1, "is in src/ itself", "move it into the folder of its module")
        elif folder not in MODULES:
            check.fault(first_file, 1, f"the module {folder} is not in the table of layers",
                        f"add '\"{folder}\": [\"the modules it builds on\"]' to MODULES in {HERE}")
        elif f"src/{folder}/CMakeLists.txt" not in check.tree.files:
            check.fault(first_file, 1, f"src/{folder} has no CMakeLists.txt",
                        f"write one with weft_module({folder} …)")
        else:
            check_cmake(check, folder)


def check_cmake(check, folder):
    path = f"src/{folder}/CMakeLists.txt"
    text = re.sub(r"#[^\n]*", "", check.tree.text(path))
    call = re.search(r"\bweft_module\s*\(([^)]*)\)", text)
    if call is None:
        check.fault(path, 1, "calls no weft_module()", f"write weft_module({folder} …)")
        return
    line = text.count("\n", 0, call.start()) + 1
    words = call[1].split()
    if words[:1] != [folder]:
        check.fault(path, line, f"names the module {' '.join(words[:1])}",
                    f"a folder is a target is a namespace: call it {folder}")
    depends, section = [], None
    for word in words[1:]:
        if word in ("DEPENDS", "LINK", "INSTALL", "LABELS", "SOURCES"):
            section = word
        elif section == "DEPENDS":
            depends.append(word)
    known = [module for module in depends if module in MODULES]
    if known != depends or {folder}.union(*map(reach, known)) != reach(folder):
        check.fault(path, line, f"DEPENDS is '{' '.join(depends)}', the table of layers says "
                    f"'{' '.join(MODULES[folder])}'", f"make the two agree, the table is in {HERE}")
    for hidden in re.finditer(r"\bweft(?:_|::)(\w+)", text):
        module = hidden[1]
        if module in MODULES and module not in reach(folder):
            check.fault(path, text.count("\n", 0, hidden.start()) + 1,
                        f"{folder} links {hidden[0]}, which is not below it",
                        may_include(sorted(reach(folder) - {folder})))


def check_table(check):
    try:
        for side, other in (APART, APART[::-1]):
            for module in side:
                for crossing in sorted(reach(module) & set(other)):
                    check.fault(HERE, 1, f"{module} builds on {crossing} in MODULES",
                                "the runtime and the library share only base, os and budget")
    except ValueError as circle:
        check.fault(HERE, 1, f"MODULES has a circle: {circle}", "dependencies go down only")
        return False
    return True


def main():
    check = Check("Who may include whom.")
    if not check_table(check):
        check.finish("")
    check_modules(check)
    files = set(check.tree.files)
    includes = 0
    for path in check.tree.files:
        top = path.split("/")[0]
        if not path.endswith(SOURCES) or "/" not in path:
            continue
        if top not in ("src", "include", *FOLDERS):
            check.fault(path, 1, f"the folder {top}/ is not in the table of layers",
                        f"add it to FOLDERS in {HERE}")
            continue
        if top == "include" and module_of(path) is None:
            check.fault(path, 1, "this public header is not in the table of layers",
                        f"add it to PUBLIC_HEADERS in {HERE}, with the module that implements it")
        for number, line in enumerate(check.tree.lines(path), 1):
            include = INCLUDE.match(line)
            if include is None:
                continue
            includes += 1
            wrong = wrong_include(files, path, include["name"], include["open"] == '"')
            if wrong:
                check.fault(path, number, *wrong)
    check.finish(f"layering: {includes} includes go down only")


if __name__ == "__main__":
    main()
