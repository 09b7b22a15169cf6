#!/usr/bin/env python3
"""Makes the Python wheel: `pip install` puts the program into bin/. It has no Python code, and the program is static,
so it suits every Python 3 on Linux, with glibc or musl."""

import base64
import hashlib
import os
import time
import zipfile

out, files, version = (os.environ[key] for key in ("out", "files", "version"))
arch = os.environ["arch"]
tag = f"py3-none-manylinux_2_17_{arch}.manylinux2014_{arch}.musllinux_1_1_{arch}"
when = time.gmtime(max(int(os.environ["SOURCE_DATE_EPOCH"]), 315532800))[:6]  # a zip knows no time before 1980
info, data = f"assay-{version}.dist-info", f"assay-{version}.data"
path = f"{out}/assay-{version}-{tag}.whl"

tags = "".join(f"Tag: py3-none-{one}\n" for one in tag.removeprefix("py3-none-").split("."))
metadata = f"""Metadata-Version: 2.4
Name: assay
Version: {version}
Summary: Measures which file system, with which options, suits a workload on a machine, with evidence.
License-Expression: (MIT OR Apache-2.0) AND LGPL-2.1-or-later
License-File: LICENSE-APACHE
License-File: LICENSE-MIT
License-File: NOTICES
Requires-Python: >=3.8
Description-Content-Type: text/markdown

"""


def content(name):
    with open(f"{files}/{name}", "rb") as file:
        return file.read()


members = [(f"{data}/scripts/assay", content("assay"), 0o755)]
for name in sorted(os.listdir(f"{files}/man")):
    members.append((f"{data}/data/share/man/man1/{name}", content(f"man/{name}"), 0o644))
for name in ("LICENSE-APACHE", "LICENSE-MIT", "NOTICES"):
    members.append((f"{info}/licenses/{name}", content(name), 0o644))
members.append((f"{info}/METADATA", metadata.encode() + content("README.md"), 0o644))
wheel = f"Wheel-Version: 1.0\nGenerator: scripts/dist/wheel.py\nRoot-Is-Purelib: false\n{tags}"
members.append((f"{info}/WHEEL", wheel.encode(), 0o644))

record = ""
for name, text, _ in members:
    digest = base64.urlsafe_b64encode(hashlib.sha256(text).digest()).rstrip(b"=").decode()
    record += f"{name},sha256={digest},{len(text)}\n"
members.append((f"{info}/RECORD", f"{record}{info}/RECORD,,\n".encode(), 0o644))

with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
    for name, text, mode in members:
        entry = zipfile.ZipInfo(name, when)
        entry.compress_type = zipfile.ZIP_DEFLATED
        entry.external_attr = (0o100000 | mode) << 16
        archive.writestr(entry, text)
print(path)
