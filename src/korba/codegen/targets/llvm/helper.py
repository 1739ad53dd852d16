"""LLVM texts on standard input, object code on standard output: the compiler as a process.

Run by path, with nothing of Korba imported, so that it starts quickly. Two options of LLVM keep
the order of the program's operations; they hold for a whole process, and in the user's process
they would change other people's code. The process says HELLO first, so that whoever started
something else in its place need not wait for it. Before a text and before its code stands a line
with the length in bytes; length 0 tells that it did not compile. The process ends with its input,
or when nothing has come for a while. Arguments: the folder that holds llvmlite, CPU, features,
level.
"""

import os
import sys
from threading import Timer
from typing import Any

HELLO = b"korba compiles\n"
PATIENCE = 60.0
"""Seconds to wait for the next text."""
SHORT = 400_000
"""Characters of a text that need not be optimised."""
KEEP_ORDER = ("-pre-RA-sched=source", "-enable-misched=false")


def binding() -> Any:
    """llvmlite's binding of LLVM, imported when it is first needed."""
    import llvmlite.binding  # type: ignore[import-untyped]

    return llvmlite.binding


def triple(own: str) -> str:
    """The kind of machine that objects are written for: that of LLVM, objects as ELF on Windows.

    COFF, its own form, asks for a symbol `_fltused` that no library has, and LLVM's linker in
    memory knows ELF best. How functions are called does not depend on the form.
    """
    return f"{own}-elf" if own.endswith("-msvc") else own


def target_machine(cpu: str, features: str, level: int = 1) -> Any:
    """LLVM's description of this machine, and its level of optimisation."""
    llvm = binding()
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    target = llvm.Target.from_triple(triple(llvm.get_default_triple()))
    return target.create_target_machine(
        cpu=cpu, features=features, opt=level, reloc="pic", codemodel="small"
    )


def object_code(text: str, cpu: str, features: str, level: int = 1) -> bytes:
    """The object code of LLVM text; a long one is optimised always.

    Without that every number it computes has a place of its own on the stack.
    """
    llvm = binding()
    machine = target_machine(cpu, features, level if len(text) < SHORT else 1)
    module = llvm.parse_assembly(text)
    module.verify()
    return bytes(machine.emit_object(module))


def next_text() -> bytes:
    """The next text; empty at the end of the input."""
    patience = Timer(PATIENCE, os._exit, (0,))
    patience.daemon = True
    patience.start()
    size = int(sys.stdin.buffer.readline() or 0)  # a forked process may keep the input open
    patience.cancel()
    return sys.stdin.buffer.read(size)


def main() -> None:
    """Compile texts from standard input to standard output."""
    sys.stdout.buffer.write(HELLO)
    sys.stdout.buffer.flush()
    folder, cpu, features, level = sys.argv[1:5]
    sys.path.insert(0, folder)
    llvm = binding()
    for option in KEEP_ORDER:
        llvm.set_option("korba", option)
    while text := next_text():
        try:
            code = object_code(text.decode(), cpu, features, int(level))
        except RuntimeError:  # the process that asks compiles it again to see why
            code = b""
        sys.stdout.buffer.write(b"%d\n%b" % (len(code), code))
        sys.stdout.buffer.flush()


if __name__ == "__main__":
    main()
