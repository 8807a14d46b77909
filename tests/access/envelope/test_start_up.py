"""What the envelope loads, and when: a server that sees no envelopes carries no cryptography for them."""

import subprocess
import sys

PROGRAM = """
import sys
from dayline.envelope.keys import EnvelopeKeys
from dayline.envelope.messages import kid_of, open_call

keys = EnvelopeKeys.of_text("dayline_k3f5a2bq_x")
try:
    kid_of(b"a.b.c")
except Exception:
    pass
loaded = {name.partition(".")[0] for name in sys.modules}
sys.exit(str(loaded & {"joserfc", "cryptography"}) if loaded & {"joserfc", "cryptography"} else 0)
"""


def test_deriving_keys_and_reading_headers_loads_no_cryptography() -> None:
    ended = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=False)

    assert (ended.returncode, ended.stderr) == (0, "")
