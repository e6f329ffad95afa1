# SPDX-License-Identifier: Apache-2.0
# Commands for gdb that show fibers: `weft fibers`, `weft bt`, `weft fiber`; see docs/debugging.md.
#
# A fiber that nobody runs has its registers on its own stack, as an arch::Frame, and its home
# sleeps on another stack. Registers of a core file cannot be written, so the commands do not try:
# they select the home thread, whose thread-local storage is the fiber's, and an unwinder says that
# the caller of the home's innermost frame is the fiber's. That frame is left out of what is shown.
import os.path

import gdb
import gdb.unwinder

REGISTERS = ("r15", "r14", "r13", "r12", "rbx", "rbp", "rip")  # behind one word, as arch::Frame
FRAME_BYTES = 8 + 8 * len(REGISTERS)
STOPPED = ("ready", "parked")  # nobody runs it, and it is not at home
OURS = ("weft::", "weft_", "std::")


def unsigned(address, size):
    return int.from_bytes(gdb.selected_inferior().read_memory(address, size), "little")


def load(value):
    """The bits of an atomic, an enumeration or a pointer, whatever its type is made of."""
    return unsigned(int(value.address), value.type.sizeof)


def names_of(enumeration):
    return {field.enumval: field.name.rpartition("::")[2]
            for field in gdb.lookup_type(enumeration).fields()}


class Fiber:
    def __init__(self, record, places, kinds):
        self.id = load(record["id"])
        self.place = places.get(load(record["place"]), "?")
        self.kind = kinds.get(load(record["park_kind"]), "?")
        self.waits_for = load(record["waits_for"])
        self.stack_pointer = load(record["context"]["stack_pointer"])
        self.thread_pointer = load(record["thread_pointer"])
        self.away = load(record["door"]["away"]) != 0
        # A kernel thread of the scheduler has a record, too; it is no thread of the program.
        self.is_worker = self.place == "at_home" and load(record["carrier"]) != 0

    def home(self):
        for thread in gdb.selected_inferior().threads():
            if thread.ptid[1] == self.id:
                return thread
        return None

    def carrier(self):
        """The thread that runs it: it has the fiber's thread pointer, and is not its home."""
        selected = gdb.selected_thread()
        try:
            for thread in gdb.selected_inferior().threads():
                thread.switch()
                thread_pointer = int(gdb.newest_frame().read_register("fs_base"))
                if thread_pointer == self.thread_pointer and thread.ptid[1] != self.id:
                    return thread
        finally:
            selected.switch()
        return None

    def is_stopped(self):
        return self.place in STOPPED and self.away


def all_fibers():
    if gdb.selected_thread() is None:
        raise gdb.GdbError("No process and no core file.")
    try:
        block_type = gdb.lookup_type("weft::fiber::Block")
        places, kinds = names_of("weft::fiber::Place"), names_of("weft::fiber::ParkKind")
        first = gdb.parse_and_eval("&weft_fiber_blocks")
    except gdb.error as error:
        raise gdb.GdbError(f"This program has no weft in it, or weft is without its debug "
                           f"information: {error}")
    block = unsigned(int(first), 8)
    fibers = []
    while block != 0:
        records = gdb.Value(block).cast(block_type.pointer()).dereference()
        low, high = records["fibers"].type.range()
        fibers += [Fiber(records["fibers"][i], places, kinds) for i in range(low, high + 1)]
        block = load(records["next"])
    live = (fiber for fiber in fibers if fiber.place != "free" and not fiber.is_worker)
    return sorted(live, key=lambda fiber: fiber.id)


def fiber_with(text):
    try:
        number = int(text, 0)
    except ValueError:
        raise gdb.GdbError(f"'{text}' is no number of a fiber; `weft fibers` lists them.")
    for fiber in all_fibers():
        if fiber.id == number:
            return fiber
    raise gdb.GdbError(f"There is no fiber {number}; `weft fibers` lists them.")


class FrameId:
    def __init__(self, stack_pointer, program_counter):
        self.sp, self.pc = stack_pointer, program_counter


class StoppedFiberUnwinder(gdb.unwinder.Unwinder):
    """While a fiber is set: the caller of its home's innermost frame is the fiber."""

    def __init__(self):
        super().__init__("weft-stopped-fiber")
        self.fiber = None
        self.home_stack_pointer = 0

    def show(self, fiber, home_stack_pointer=0):
        self.fiber, self.home_stack_pointer = fiber, home_stack_pointer
        gdb.invalidate_cached_frames()

    def __call__(self, pending):
        if self.fiber is None:
            return None
        here = int(pending.read_register("rsp"))
        if here != self.home_stack_pointer or gdb.selected_thread().ptid[1] != self.fiber.id:
            return None
        word = gdb.lookup_type("unsigned long")
        start = self.fiber.stack_pointer
        # Below its caller's, as gdb expects of a younger frame.
        info = pending.create_unwind_info(
            FrameId(gdb.Value(start).cast(word), pending.read_register("rip")))
        for index, name in enumerate(REGISTERS):
            saved = gdb.Value(unsigned(start + 8 + 8 * index, 8)).cast(word)
            info.add_saved_register(name, saved)
        info.add_saved_register("rsp", gdb.Value(start + FRAME_BYTES).cast(word))
        info.add_saved_register("fs_base", gdb.Value(self.fiber.thread_pointer).cast(word))
        return info


unwinder = StoppedFiberUnwinder()
gdb.unwinder.register_unwinder(None, unwinder, replace=True)


def select(fiber):
    """Selects the thread that has the fiber's frames. Answers how many of its own are before."""
    thread = fiber.carrier() if fiber.place == "running" else fiber.home()
    if thread is None:
        raise gdb.GdbError(f"Fiber {fiber.id} is {fiber.place}, and its thread is not there.")
    thread.switch()
    if not fiber.is_stopped():
        unwinder.show(None)
        return 0
    unwinder.show(None)
    unwinder.show(fiber, int(gdb.newest_frame().read_register("rsp")))
    return 1


class Looking:
    """Puts everything back as it was."""

    def __enter__(self):
        self.thread, self.shown = gdb.selected_thread(), unwinder.fiber
        self.level = gdb.selected_frame().level()

    def __exit__(self, *_):
        self.thread.switch()
        unwinder.show(None)
        if self.shown is not None:
            select(self.shown)
        gdb.execute(f"frame {self.level}", to_string=True)


def backtrace(fiber, arguments):
    hidden = select(fiber)
    shown = []
    for line in gdb.execute(f"backtrace {arguments}", to_string=True).splitlines():
        number, space, rest = line.partition(" ")
        if number.startswith("#") and number[1:].isdigit():
            level = int(number[1:]) - hidden
            line = f"{'#' + str(level):<{len(number)}}{space}{rest}"
        elif not shown and hidden:
            continue  # locals of a frame that is left out
        if not line.startswith("#-"):
            shown.append(line)
    return "\n".join(shown)


def source_folder():
    """Where the sources of weft were when it was compiled; None: nobody knows."""
    try:
        places = gdb.decode_line("weft::sched::park")[1]
        return os.path.dirname(os.path.dirname(places[0].symtab.fullname())) + "/"
    except (gdb.error, TypeError, AttributeError):
        return None


def is_ours(frame, folder):
    name, table = frame.name(), frame.find_sal().symtab
    if name is None or name.startswith(OURS):
        return True
    return folder is not None and table is not None and table.fullname().startswith(folder)


def top_function(fiber, folder):
    """The innermost function that is not weft's."""
    hidden = select(fiber)
    frame = gdb.newest_frame()
    for _ in range(hidden):
        frame = frame.older()
    innermost = None
    while frame is not None:
        innermost = innermost or frame.name()
        if not is_ours(frame, folder):
            return frame.name()
        frame = frame.older()
    return innermost or "?"


class Weft(gdb.Command):
    """Shows the fibers of a program that runs under weft."""

    def __init__(self):
        super().__init__("weft", gdb.COMMAND_STACK, gdb.COMPLETE_NONE, prefix=True)


class WeftFibers(gdb.Command):
    """Lists all fibers: weft fibers
Of each its number (the thread id), where it is, what it waits for, the name of its thread, and
the innermost function that is not weft's."""

    def __init__(self):
        super().__init__("weft fibers", gdb.COMMAND_STACK)

    def invoke(self, argument, from_terminal):
        rows = [("Id", "Place", "Waits in", "Object", "Thread", "Function")]
        fibers, folder = all_fibers(), source_folder()
        homes = {thread.ptid[1]: thread for thread in gdb.selected_inferior().threads()}
        with Looking():
            for fiber in fibers:
                waits = fiber.place in ("parked", "parked_home")
                home = homes.get(fiber.id)
                rows.append((str(fiber.id), fiber.place.replace("_", " "),
                             fiber.kind if waits else "-",
                             hex(fiber.waits_for) if waits and fiber.waits_for else "-",
                             (home and home.name) or "-", self.function_of(fiber, folder)))
        widths = [max(map(len, column)) for column in zip(*rows)]
        for row in rows:
            print("  ".join(text.ljust(width) for text, width in zip(row, widths)).rstrip())

    @staticmethod
    def function_of(fiber, folder):
        try:
            return top_function(fiber, folder)
        except (gdb.error, gdb.GdbError) as error:
            return f"<{error}>"


class WeftBacktrace(gdb.Command):
    """Shows the stack of a fiber, or of all: weft bt ID|all [arguments of backtrace]"""

    def __init__(self):
        super().__init__("weft bt", gdb.COMMAND_STACK)

    def invoke(self, argument, from_terminal):
        words = argument.split(maxsplit=1)
        if not words:
            raise gdb.GdbError("Which one? weft bt ID|all [arguments of backtrace]")
        fibers = all_fibers() if words[0] == "all" else [fiber_with(words[0])]
        with Looking():
            for fiber in fibers:
                waits = f" in {fiber.kind}" if fiber.place in ("parked", "parked_home") else ""
                print(f"Fiber {fiber.id} ({fiber.place.replace('_', ' ')}{waits}):")
                try:
                    print(backtrace(fiber, words[1] if len(words) > 1 else ""))
                except (gdb.error, gdb.GdbError) as error:
                    print(f"  {error}")


class WeftFiber(gdb.Command):
    """Makes a fiber the one that gdb's own commands are about: weft fiber ID|none
Then `bt`, `up`, `frame`, `info locals` and `print` work as in any thread; frame 0 is that of the
home, and the fiber's begin at 1. `none` ends it; so does whatever lets the program run."""

    def __init__(self):
        super().__init__("weft fiber", gdb.COMMAND_STACK)

    def invoke(self, argument, from_terminal):
        if argument.strip() == "none":
            unwinder.show(None)
            return
        level = select(fiber_with(argument.strip()))
        gdb.execute(f"frame {level}")


Weft()
WeftFibers()
WeftBacktrace()
WeftFiber()
gdb.events.cont.connect(lambda _: unwinder.show(None))
