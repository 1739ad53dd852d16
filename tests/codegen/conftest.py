"""Machine code is tested as users have it, optimised; elsewhere only its numbers count."""

import pytest


@pytest.fixture(scope="module", autouse=True)
def as_users_have_it(optimised):
    """LLVM tries as hard as it does for users."""
