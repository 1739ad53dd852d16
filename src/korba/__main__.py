"""`python -m korba`: the command, where the folder of programs is not on the path."""

from .cli import main

if __name__ == "__main__":
    main()
