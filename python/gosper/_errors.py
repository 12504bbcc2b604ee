"""Exceptions."""


class GosperError(RuntimeError):
    """Something could not be done. The message says what."""


class InputError(GosperError, ValueError):
    """The input is invalid. The message says what is allowed."""


class Crashed(GosperError):
    """The process of a universe has ended. The message has the last lines that it wrote."""
