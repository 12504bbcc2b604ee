"""What goes wrong."""


class GosperError(RuntimeError):
    """Something could not be done. The message says what."""


class InputError(GosperError, ValueError):
    """What was asked for is wrong. The message says what is allowed."""


class Crashed(GosperError):
    """The process of a universe has ended. The message has the last lines that it wrote."""
