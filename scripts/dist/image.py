#!/usr/bin/env python3
"""Makes the container image, an OCI image layout in a tar file that `docker load`, `podman load` and `skopeo copy
oci-archive:` read. It holds the program and its licences, and nothing else: enough for `dir:` targets."""

import gzip
import hashlib
import io
import json
import os
import tarfile
import time

out, files, version, name = (os.environ[key] for key in ("out", "files", "version", "name"))
arch = {"x86_64": "amd64", "aarch64": "arm64"}.get(os.environ["arch"], os.environ["arch"])
epoch = int(os.environ["SOURCE_DATE_EPOCH"])
created = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(epoch))

PASSWD = "root:x:0:0:root:/root:/sbin/nologin\nnobody:x:65534:65534:nobody:/:/sbin/nologin\n"
GROUP = "root:x:0:\nnogroup:x:65534:\n"


def add(archive, name, mode, text=None):
    """A file with `text`, or a folder."""
    entry = tarfile.TarInfo(name)
    entry.mode, entry.mtime = mode, epoch
    entry.type = tarfile.DIRTYPE if text is None else tarfile.REGTYPE
    entry.size = len(text or b"")
    archive.addfile(entry, io.BytesIO(text or b""))


def tar(members):
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w", format=tarfile.USTAR_FORMAT) as archive:
        for member in members:
            add(archive, *member)
    return packed.getvalue()


def content(name):
    with open(f"{files}/{name}", "rb") as file:
        return file.read()


# What every program expects, which seldom changes; then what is new in each version.
base = [(folder, 0o755) for folder in ("etc", "root", "usr", "usr/bin", "usr/share", "usr/share/licenses", "var", "var/lib")]
base += [("tmp", 0o1777), ("etc/passwd", 0o644, PASSWD.encode()), ("etc/group", 0o644, GROUP.encode())]
program = [("usr/bin/assay", 0o755, content("assay")), ("usr/share/licenses/assay", 0o755)]
for licence in ("LICENSE-APACHE", "LICENSE-MIT", "NOTICES"):
    program.append((f"usr/share/licenses/assay/{licence}", 0o644, content(licence)))

blobs = {}


def blob(media_type, text):
    """Keeps `text` by its digest, and returns its descriptor."""
    digest = hashlib.sha256(text).hexdigest()
    blobs[f"blobs/sha256/{digest}"] = text
    return {"mediaType": media_type, "digest": f"sha256:{digest}", "size": len(text)}


def as_json(value):
    return json.dumps(value, sort_keys=True).encode()


layers = [tar(base), tar(program)]
packed = [gzip.compress(layer, mtime=0) for layer in layers]
descriptors = [blob("application/vnd.oci.image.layer.v1.tar+gzip", layer) for layer in packed]
config = {
    "architecture": arch,
    "os": "linux",
    "created": created,
    "config": {"Entrypoint": ["/usr/bin/assay"], "Env": ["PATH=/usr/sbin:/usr/bin:/sbin:/bin"], "WorkingDir": "/tmp"},
    "rootfs": {"type": "layers", "diff_ids": [f"sha256:{hashlib.sha256(layer).hexdigest()}" for layer in layers]},
    "history": [
        {"created": created, "created_by": "scripts/dist/image.py: folders and users"},
        {"created": created, "created_by": "scripts/dist/image.py: the program"},
    ],
}
config = blob("application/vnd.oci.image.config.v1+json", as_json(config))
manifest = {
    "schemaVersion": 2,
    "mediaType": "application/vnd.oci.image.manifest.v1+json",
    "config": config,
    "layers": descriptors,
    "annotations": {
        "org.opencontainers.image.title": "assay",
        "org.opencontainers.image.version": version,
        "org.opencontainers.image.licenses": "(MIT OR Apache-2.0) AND LGPL-2.1-or-later",
    },
}
manifest = blob("application/vnd.oci.image.manifest.v1+json", as_json(manifest))
manifest["annotations"] = {
    "org.opencontainers.image.ref.name": version,
    "io.containerd.image.name": f"docker.io/library/assay:{version}",
}
manifest["platform"] = {"architecture": arch, "os": "linux"}


def place(descriptor):
    return "blobs/" + descriptor["digest"].replace(":", "/")


# Docker before version 25 reads manifest.json.
docker = {"Config": place(config), "RepoTags": [f"assay:{version}"], "Layers": [place(one) for one in descriptors]}
members = [("blobs", 0o755), ("blobs/sha256", 0o755)]
members += [(path, 0o644, text) for path, text in sorted(blobs.items())]
members.append(("index.json", 0o644, as_json({"schemaVersion": 2, "manifests": [manifest]})))
members.append(("manifest.json", 0o644, as_json([docker])))
members.append(("oci-layout", 0o644, as_json({"imageLayoutVersion": "1.0.0"})))
with open(f"{out}/{name}.oci.tar", "wb") as file:
    file.write(tar(members))
print(f"{out}/{name}.oci.tar")
