"""Element types of tensors: their names and their representation in Python and numpy.

Python and numpy have no bf16 and no 8-bit floats: such elements are unsigned integers with the same bits.
"""

import struct


class Dtype:
    """`code` is the number in a descriptor, `numpy` the name of the type in numpy."""

    def __init__(self, name, code, size, letter, numpy, real):
        self.name, self.code, self.size, self.letter, self.numpy, self.real = name, code, size, letter, numpy, real

    def __repr__(self):
        return self.name


DTYPES = {dtype.name: dtype for dtype in (
    Dtype("f16", 0, 2, "e", "float16", True),
    Dtype("bf16", 1, 2, "H", "uint16", False),
    Dtype("f32", 2, 4, "f", "float32", True),
    Dtype("i8", 3, 1, "b", "int8", False),
    Dtype("i16", 4, 2, "h", "int16", False),
    Dtype("i32", 5, 4, "i", "int32", False),
    Dtype("i64", 6, 8, "q", "int64", False),
    Dtype("e4m3", 7, 1, "B", "uint8", False),
    Dtype("e5m2", 8, 1, "B", "uint8", False),
)}
_OF_NUMPY = {dtype.numpy: dtype for dtype in reversed(DTYPES.values()) if dtype.name not in ("bf16", "e4m3", "e5m2")}


def dtype_of(name):
    """The Dtype of a name. Raises ValueError, which lists the known names."""
    if isinstance(name, Dtype):
        return name
    try:
        return DTYPES[name]
    except KeyError:
        raise ValueError(f"no dtype '{name}'; there are {', '.join(DTYPES)}") from None


def dtype_of_array(array):
    """The dtype of a numpy array. Raises ValueError when several are possible or none is (float64, uint8 ...)."""
    try:
        return _OF_NUMPY[str(array.dtype)]
    except KeyError:
        raise ValueError(f"elements of {array.dtype} are none of a tensor; say dtype= one of {', '.join(DTYPES)}") from None


def flatten(values):
    """Returns the elements of nested lists and the shape. Raises ValueError when rows have different lengths."""
    if not isinstance(values, (list, tuple)):
        return [values], ()
    parts = [flatten(part) for part in values]
    if any(shape != parts[0][1] for _, shape in parts):
        raise ValueError("rows of a tensor have different lengths")
    return [element for elements, _ in parts for element in elements], (len(parts),) + (parts[0][1] if parts else ())


def encode(values, dtype):
    """Returns (bytes, shape, dtype) of a numpy array or of nested lists. `dtype` None: that of the array; f32 for lists."""
    if hasattr(values, "__array__") and not isinstance(values, (list, tuple)):
        import numpy

        array = numpy.asarray(values)
        dtype = dtype_of_array(array) if dtype is None else dtype_of(dtype)
        return numpy.ascontiguousarray(array.astype(dtype.numpy)).tobytes(), array.shape, dtype
    dtype = dtype_of("f32" if dtype is None else dtype)
    elements, shape = flatten(values)
    return struct.pack(f"<{len(elements)}{dtype.letter}", *elements), shape, dtype


def decode(data, shape, dtype):
    """Converts bytes to nested lists."""
    elements = list(struct.unpack(f"<{len(data) // dtype.size}{dtype.letter}", data))
    for length in reversed(shape[1:]):
        elements = [elements[at : at + length] for at in range(0, len(elements), length)]
    return elements if shape else elements[0]
