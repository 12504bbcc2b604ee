"""Pictures of cells, without further libraries: PNG and animated PNG."""

from __future__ import annotations

import base64
import math
import os
import struct
import zlib
from typing import Sequence, Union

import numpy as np
import numpy.typing as npt

from . import _values

Shades = npt.NDArray[np.uint8]  # rows by columns of grey levels, or by columns by red, green and blue


def shades(cells: npt.NDArray[np.uint8], states: int, largest: int, lattice: str = "", odd: int = 0) -> Shades:
    """Grey levels of cells. A pixel is several cells if a side is longer than ``largest`` pixels, and a cell is several pixels if it is short.

    Cells are squares, hexagons (``"hex"``) or triangles (``"tri"``). odd is 1 if the row and column of the first cell have an odd sum.
    """
    if cells.size == 0:
        return np.zeros((16, 16), np.uint8)
    live = cells * np.float32(255 / max(states - 1, 1)) if states > 2 else cells * np.float32(255)
    if states > 2:  # state 1 is the live one, the others fade
        live = np.where(cells > 0, 255 - (np.maximum(cells, 1) - 1) * np.float32(200 / (states - 1)), 0).astype(np.float32)
    k = -(-max(cells.shape) // largest)
    if k > 1:
        height, width = (-(-n // k) * k for n in cells.shape)
        padded = np.zeros((height, width), np.float32)
        padded[: cells.shape[0], : cells.shape[1]] = live
        live = padded.reshape(height // k, k, width // k, k).mean(axis=(1, 3))
        peak = live.max()
        if peak > 0:  # ash would be faint if many cells share a pixel
            live = 255 * np.sqrt(live / peak)
    grey = live.astype(np.uint8)
    zoom = max(1, min(8, 256 // max(grey.shape)))
    if lattice:
        return _tiled(grey, lattice, odd, zoom)
    return np.repeat(np.repeat(grey, zoom, axis=0), zoom, axis=1)


def _tiled(grey: Shades, lattice: str, odd: int, up: int) -> Shades:
    """Hexagons or triangles whose columns are ``up`` pixels wide, where package internal/lattice of the program has them."""
    height, width = grey.shape
    hexagons = lattice == "hex"
    right, down = (-0.5, math.sqrt(3) / 2) if hexagons else (0, math.sqrt(3))  # of a row, from the row above
    reach = 1 / math.sqrt(3) - down / 2 if hexagons else 0
    left, across = (right * (height - 0.5), width - right * (height - 1)) if hexagons else (-0.5, width + 1)
    size = math.ceil((down * height + 2 * reach) * up - 1e-9), math.ceil(across * up - 1e-9)
    y = ((np.arange(size[0])[:, None] + 0.5) / up - reach) / down
    x = left + (np.arange(size[1]) + 0.5 + 1e-6) / up - right * y
    y = np.broadcast_to(y + 1e-6, size)
    least = np.full(size, np.inf)
    column, row = np.zeros(size, np.int64), np.zeros(size, np.int64)
    first = np.floor(x - 0.5 if hexagons else x - 1).astype(np.int64)
    top = np.floor(y - 0.5 if hexagons else y).astype(np.int64)
    for i, j in ((0, 0), (1, 0), (0, 1), (1, 1)) if hexagons else ((0, 0), (1, 0), (2, 0)):
        dx, dy = x - first - i - 0.5, y - top - j - 0.5
        if hexagons:  # the nearest middle
            far = np.hypot(dx + right * dy, dy * down)
        else:  # a triangle with an even sum points down
            far = np.abs(dx) + np.where((first + i + top + odd) % 2 == 0, dy, -dy)
        nearer = far < least
        least = np.where(nearer, far, least)
        column, row = np.where(nearer, first + i, column), np.where(nearer, top + j, row)
    inside = (column >= 0) & (row >= 0) & (column < width) & (row < height)
    return np.where(inside, grey[np.where(inside, row, 0), np.where(inside, column, 0)], 0).astype(np.uint8)


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def _packed(picture: Shades) -> bytes:
    values = picture.reshape(picture.shape[0], -1)
    rows = np.zeros((values.shape[0], values.shape[1] + 1), np.uint8)  # each row begins with its filter, 0
    rows[:, 1:] = values
    return zlib.compress(rows.tobytes(), 6)


def _head(picture: Shades) -> bytes:
    height, width = picture.shape[:2]
    kind = 0 if picture.ndim == 2 else 2  # grey levels, or red, green and blue
    return b"\x89PNG\r\n\x1a\n" + _chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, kind, 0, 0, 0))


def png(picture: Shades) -> bytes:
    """A picture as PNG."""
    return _head(picture) + _chunk(b"IDAT", _packed(picture)) + _chunk(b"IEND", b"")


class Film:
    """A sequence of pictures, as ``Universe.film`` returns it. Jupyter plays it.

    Parameters
    ----------
    pictures : sequence of numpy.ndarray
        Grey levels of shape (rows, columns), or colours of shape (rows, columns, 3).
    rate : float
        Pictures a second.
    """

    def __init__(self, pictures: Sequence[Shades], rate: float) -> None:
        self.pictures = list(pictures)
        self.rate = rate

    def apng(self) -> bytes:
        """The film as animated PNG, which browsers play."""
        first = self.pictures[0]
        out = _head(first) + _chunk(b"acTL", struct.pack(">II", len(self.pictures), 0))
        number = 0
        for i, picture in enumerate(self.pictures):
            height, width = picture.shape[:2]
            out += _chunk(
                b"fcTL", struct.pack(">IIIIIHHBB", number, width, height, 0, 0, 1000, round(1000 * self.rate), 0, 0)
            )
            number += 1
            if i == 0:
                out += _chunk(b"IDAT", _packed(picture))
            else:
                out += _chunk(b"fdAT", struct.pack(">I", number) + _packed(picture))
                number += 1
        return out + _chunk(b"IEND", b"")

    def save(self, path: Union[str, "os.PathLike[str]"]) -> None:
        """Writes the film as animated PNG into the file ``path``, which it replaces."""
        with open(_values.path("path", path), "wb") as f:
            f.write(self.apng())

    def _repr_html_(self) -> str:
        return f'<img src="data:image/png;base64,{base64.b64encode(self.apng()).decode()}" style="image-rendering: pixelated">'
