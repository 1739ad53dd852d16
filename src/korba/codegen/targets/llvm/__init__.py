"""Machine code for this processor: programs as LLVM text, compiled and loaded."""
