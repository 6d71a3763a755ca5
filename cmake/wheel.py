"""Makes the wheel of python/: wheel.py SOURCE_FOLDER OUTPUT_FOLDER. Needs nothing but Python: a wheel is an archive of its
files with a list of their checksums (https://packaging.python.org/en/latest/specifications/binary-distribution-format)."""

import base64
import hashlib
import pathlib
import re
import sys
import zipfile

source, output = map(pathlib.Path, sys.argv[1:3])
version = re.search(r'KERNBENCH_VERSION "(.*)"', (source / "platform/base/version.h").read_text()).group(1)
project = (source / "python/pyproject.toml").read_text()
if f'version = "{version}"' not in project:
    sys.exit(f"python/pyproject.toml has another version than platform/base/version.h, {version}")
description = re.search(r'description = "(.*)"', project).group(1)
entry = re.search(r'pytest11\]\nkernbench = "(.*)"', project).group(1)
info = f"kernbench-{version}.dist-info"
metadata = (f"Metadata-Version: 2.1\nName: kernbench\nVersion: {version}\nSummary: {description}\nLicense: Apache-2.0\n"
            "Requires-Python: >=3.9\nProvides-Extra: numpy\nRequires-Dist: numpy; extra == 'numpy'\n"
            "Provides-Extra: frames\nRequires-Dist: pandas; extra == 'frames'\n")
files = {f"kernbench/{path.name}": path.read_bytes() for path in sorted((source / "python/kernbench").glob("*.py"))}
files[f"{info}/METADATA"] = metadata.encode()
files[f"{info}/WHEEL"] = b"Wheel-Version: 1.0\nGenerator: kernbench\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
files[f"{info}/entry_points.txt"] = f"[pytest11]\nkernbench = {entry}\n".encode()
files[f"{info}/LICENSE"] = (source / "LICENSE").read_bytes()
record = "".join(f"{name},sha256={base64.urlsafe_b64encode(hashlib.sha256(data).digest()).decode().rstrip('=')},{len(data)}\n"
                 for name, data in files.items())
files[f"{info}/RECORD"] = (record + f"{info}/RECORD,,\n").encode()
output.mkdir(parents=True, exist_ok=True)
with zipfile.ZipFile(output / f"kernbench-{version}-py3-none-any.whl", "w", zipfile.ZIP_DEFLATED) as wheel:
    for name, data in files.items():
        entry_info = zipfile.ZipInfo(name, (2020, 1, 1, 0, 0, 0))  # the same bytes whenever it is made
        entry_info.external_attr = 0o644 << 16
        wheel.writestr(entry_info, data, zipfile.ZIP_DEFLATED)
