# Commands of gdb for the SC_THREADs of a SystemC simulation, running or in a core file:
#   sc-threads [PART]    lists the threads whose names contain PART, and the event that each waits for
#   sc-thread NAME       selects the stack of the thread whose name ends with NAME, and prints it: up, down, frame, info
#                        locals and print work on frames 1, 2, ... until the program continues; frame 0 has no meaning
#   sc-thread            selects the real stack again
# Load it by `source sc_threads.py`. It is for SystemC built with QuickThreads on x86-64, as Debian's is; where SystemC
# was built with pthreads, gdb knows the threads by itself. Where the program has no debug information of SystemC's
# classes, g++ and SystemC's headers have to be there.
import atexit
import os
import re
import shutil
import subprocess
import tempfile

import gdb
import gdb.unwinder

# What qt_block() of QuickThreads pushes before it leaves a stack, above the stack pointer that it stores.
SAVED = {"rbx": 0x20, "r15": 0x28, "r14": 0x30, "r13": 0x38, "r12": 0x40, "rbp": 0x50, "rip": 0x58}
SAVED_BYTES = 0x60
STACK_POINTER = 0x18  # in sc_cor_qt
ENDED = 8  # ps_bit_zombie in sc_process_b::m_state
# By sc_process_b::m_trigger_type.
WAITS_FOR = ["waits for its sensitivity, or has not begun", "waits for an event", "waits for one of several events",
             "waits for several events", "waits for a time"] + ["waits for events or a time"] * 3


def learn_layout():
    folder = tempfile.mkdtemp()
    atexit.register(shutil.rmtree, folder)
    types = os.path.join(folder, "types.o")
    source = "#include <systemc>\nsc_core::sc_process_b* process;\nsc_core::sc_simcontext* context;\n"
    subprocess.run(["g++", "-std=c++17", "-g", "-femit-class-debug-always", "-x", "c++", "-c", "-o", types, "-"],
                   input=source.encode(), check=True)
    gdb.execute("add-symbol-file " + types, to_string=True)


def fields(type_name):
    """Offsets of the members of a class and of its bases."""
    found = {}
    for field in gdb.lookup_type("sc_core::" + type_name).fields():
        if field.is_base_class:
            base = fields(field.type.name.replace("sc_core::", ""))
            found.update({name: offset + field.bitpos // 8 for name, offset in base.items()})
        elif hasattr(field, "bitpos"):
            found[field.name] = field.bitpos // 8
    return found


class Layout:
    def __init__(self):
        try:
            known = all(gdb.lookup_type("sc_core::" + name).fields() for name in ("sc_process_b", "sc_simcontext"))
        except gdb.error:
            known = False
        if not known:
            learn_layout()
        self.process, self.context, self.event = fields("sc_process_b"), fields("sc_simcontext"), fields("sc_event")
        self.after_process = gdb.lookup_type("sc_core::sc_process_b").sizeof


def read(address, size):
    return int.from_bytes(bytes(gdb.selected_inferior().read_memory(address, size)), "little")


def word(address):
    return read(address, 8)


def text(string):
    return bytes(gdb.selected_inferior().read_memory(word(string), word(string + 8))).decode()


def is_a(address, name):
    try:
        return "vtable for sc_core::" + name in gdb.execute("info symbol %d" % word(address), to_string=True)
    except gdb.MemoryError:
        return False


def shortened(name):
    """The name of a function without what stands in <> and (), at most 100 characters."""
    name = name.replace("(anonymous namespace)::", "")
    while True:
        inner = re.sub(r"(?<!operator)<[^<>]*>|(?<!operator)\([^()]*\)( const)?", "", name)
        if inner == name:
            return name if len(name) <= 100 else name[:97] + "..."
        name = inner


class Thread:
    def __init__(self, layout, address, running):
        at = layout.process
        self.name = text(address + at["m_name"])
        self.coroutine = 0
        for place in range(layout.after_process - 8, layout.after_process + 16, 8):
            if is_a(word(address + place), "sc_cor_qt"):
                self.coroutine = word(address + place)
        event = word(address + at["m_event_p"])
        if read(address + at["m_state"], 4) & ENDED:
            self.state = "has ended"
        elif address == running:
            self.state = "runs"
        elif event:
            self.state = "waits for " + (text(event + layout.event["m_name"]) or "an event without a name")
        else:
            self.state = WAITS_FOR[read(address + at["m_trigger_type"], 4)]


def threads():
    if not hasattr(threads, "layout"):
        threads.layout = Layout()
    layout = threads.layout
    context = word(int(gdb.parse_and_eval("(long)&'sc_core::sc_curr_simcontext'")))
    if context == 0:
        raise gdb.GdbError("there is no simulation yet")
    running = word(context + layout.context["m_curr_proc_info"])
    left = [context + layout.context["m_child_objects"]]
    while left:
        children = left.pop()
        for place in range(word(children), word(children + 8), 8):
            item = word(place)
            left.append(item + layout.process["m_child_objects"])
            if is_a(item, "sc_thread_process"):
                yield Thread(layout, item, running)


class FrameId:
    def __init__(self, sp, pc):
        self.sp, self.pc = sp, pc


class Suspended(gdb.unwinder.Unwinder):
    """Says that the innermost frame was called by the selected thread."""

    def __init__(self):
        super().__init__("systemc-threads")
        self.stack = None
        gdb.events.cont.connect(lambda _: self.select(None))

    def select(self, stack):
        if self.stack != stack:
            self.stack = stack
            gdb.invalidate_cached_frames()

    def __call__(self, frame):
        if self.stack is None or int(frame.read_register("rsp")) != self.innermost:
            return None
        info = frame.create_unwind_info(FrameId(gdb.Value(self.stack), frame.read_register("rip")))
        for register, offset in SAVED.items():
            info.add_saved_register(register, gdb.Value(word(self.stack + offset)))
        info.add_saved_register("rsp", gdb.Value(self.stack + SAVED_BYTES))
        return info


suspended = Suspended()
gdb.unwinder.register_unwinder(None, suspended, replace=True)


class ListThreads(gdb.Command):
    def __init__(self):
        super().__init__("sc-threads", gdb.COMMAND_STACK)

    def invoke(self, part, _):
        for thread in sorted(threads(), key=lambda thread: thread.name):
            if part in thread.name:
                print("%-50s %s" % (thread.name, thread.state))


class SelectThread(gdb.Command):
    def __init__(self):
        super().__init__("sc-thread", gdb.COMMAND_STACK)

    def invoke(self, name, _):
        suspended.select(None)
        gdb.newest_frame().select()
        if not name:
            return
        found = [thread for thread in threads() if thread.name.endswith(name)]
        if len(found) != 1:
            raise gdb.GdbError("%d threads end with '%s'" % (len(found), name))
        if not found[0].state.startswith("waits") or found[0].coroutine == 0:
            raise gdb.GdbError("%s %s: it has no stack that waits" % (found[0].name, found[0].state))
        suspended.innermost = int(gdb.newest_frame().read_register("rsp"))
        suspended.select(word(found[0].coroutine + STACK_POINTER))
        frame = gdb.newest_frame()
        while frame.type() == gdb.INLINE_FRAME:
            frame = frame.older()
        frame = frame.older()
        frame.select()
        while frame is not None:
            line = frame.find_sal()
            place = " at %s:%d" % (os.path.basename(line.symtab.filename), line.line) if line.symtab else ""
            print("#%-3d %s%s" % (frame.level(), shortened(frame.name() or "?"), place))
            frame = frame.older()


ListThreads()
SelectThread()
