"""LLVM text on standard input, object code on standard output: the compiler as a process.

Run by path, with nothing of Korba imported, so that it starts quickly. Two options of LLVM keep
the order of the program's operations; they hold for a whole process, and in the user's process
they would change other people's code. Before the text stands a line with its length in bytes.
Arguments: the folder that holds llvmlite, CPU, features.
"""

import sys
from typing import Any

KEEP_ORDER = ("-pre-RA-sched=source", "-enable-misched=false")


def binding() -> Any:
    """llvmlite's binding of LLVM, imported when it is first needed."""
    import llvmlite.binding  # type: ignore[import-untyped]

    return llvmlite.binding


def target_machine(cpu: str, features: str) -> Any:
    """LLVM's description of this machine."""
    llvm = binding()
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    target = llvm.Target.from_default_triple()
    return target.create_target_machine(
        cpu=cpu, features=features, opt=1, reloc="pic", codemodel="small"
    )


def object_code(text: str, cpu: str, features: str) -> bytes:
    """The object code of LLVM text."""
    llvm = binding()
    machine = target_machine(cpu, features)
    module = llvm.parse_assembly(text)
    module.verify()
    return bytes(machine.emit_object(module))


def main() -> None:
    """Compile standard input to standard output."""
    folder, cpu, features = sys.argv[1:4]
    sys.path.insert(0, folder)
    llvm = binding()
    for option in KEEP_ORDER:
        llvm.set_option("korba", option)
    size = int(sys.stdin.buffer.readline())  # not to the end: a forked process may keep it open
    text = sys.stdin.buffer.read(size).decode()
    sys.stdout.buffer.write(object_code(text, cpu, features))


if __name__ == "__main__":
    main()
