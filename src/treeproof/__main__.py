"""``python -m treeproof``: the same as the command ``treeproof``."""

from treeproof.cli import main

if __name__ == "__main__":
    main()
