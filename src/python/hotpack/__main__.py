"""`python -m hotpack` is the command."""

import os
import sys

from .process import find_command

command = find_command()
os.execv(command, [command, *sys.argv[1:]])
