"""Machine code is tested as users have it, optimised; elsewhere only its numbers count."""

import pytest


@pytest.fixture(scope="module", autouse=True)
def optimised():
    """LLVM tries as hard as it does for users."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("KORBA_OPTIMISE", "1")
        yield
