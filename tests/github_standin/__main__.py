"""`python -m tests.github_standin`: a stand-in of GitHub with a small world, to try things by hand."""

from __future__ import annotations

import time

from tests.github_standin.samples import small_world
from tests.github_standin.server import Standin

if __name__ == "__main__":
    with Standin(small_world()) as standin:
        print(f'[github]\napi_url = "{standin.url}"\ntoken = "{standin.token}"', flush=True)
        while True:
            time.sleep(3600)
