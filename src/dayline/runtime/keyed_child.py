"""A child process that has the key of an encrypted database: python -m dayline.runtime.keyed_child MODULE …"""

import runpy
import sys

from dayline.runtime.encryption import receive_key

if __name__ == "__main__":
    receive_key()
    del sys.argv[0]
    runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)
