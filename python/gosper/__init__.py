"""Cellular automata at full speed: any rule, on all cores and NVIDIA GPUs.

>>> import gosper
>>> u = gosper.Universe("B3/S23", shape=(512, 512), density=0.5, seed=1)
>>> u.step(1000).reason
'target'
>>> u.cells.shape
(512, 512)

A universe is stepped by the program ``gosper``, in another process; its cells come as numpy arrays. See ``Universe``, ``Universes``, ``rule``,
``open``, ``resume``, ``ensemble``, ``crossing``, ``exponent``, ``collapse``, ``plot``, ``census`` and ``identify``.
"""

from ._binary import binary, version
from ._device import DeviceCells
from ._errors import Crashed, GosperError, InputError
from ._fit import collapse, crossing, exponent, plot
from ._picture import Film
from ._rule import Rule, rule
from ._study import Ensemble, census, engines, ensemble, explain, identify, patterns, rules
from ._universe import Clusters, Step, Universe, open, resume
from ._universes import Universes, UniversesClusters

__version__ = "0.0.0"

__all__ = [
    "Clusters",
    "Crashed",
    "DeviceCells",
    "Ensemble",
    "Film",
    "GosperError",
    "InputError",
    "Rule",
    "Step",
    "Universe",
    "Universes",
    "UniversesClusters",
    "binary",
    "census",
    "collapse",
    "crossing",
    "engines",
    "ensemble",
    "explain",
    "exponent",
    "identify",
    "open",
    "patterns",
    "plot",
    "resume",
    "rule",
    "rules",
    "version",
]
