"""What verbs give, as classes: for annotations and `isinstance`; nobody makes them by hand."""

from ..front import shown as _shown

__all__, __getattr__, __dir__ = _shown(__name__, __file__)
