#!/usr/bin/env python3
"""image.py FOLDER MACHINE VERSION REVISION FILE: an OCI image of what lies in FOLDER, for amd64 or arm64, as a tar with an OCI layout.

The same input gives the same bytes: SOURCE_DATE_EPOCH is the time of all files, root owns them, names are sorted.
"""

import gzip
import hashlib
import io
import json
import os
import sys
import tarfile
from datetime import datetime, timezone
from pathlib import Path

USER, PORT = 65532, 8088


def add(tar, name, epoch, data=None, mode=0o755):
    """A folder, or a file with `data`."""
    info = tarfile.TarInfo(name)
    info.mtime, info.mode = epoch, mode
    if data is None:
        info.type = tarfile.DIRTYPE
        tar.addfile(info)
    else:
        info.size = len(data)
        tar.addfile(info, io.BytesIO(data))


def layer_of(folder, epoch):
    """All of `folder`, as an uncompressed tar."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=tarfile.USTAR_FORMAT) as tar:
        for path in sorted(folder.rglob("*")):
            mode = path.stat().st_mode & 0o7777
            add(tar, str(path.relative_to(folder)), epoch, None if path.is_dir() else path.read_bytes(), mode)
    return out.getvalue()


def main(folder, machine, version, revision, file):
    epoch = int(os.environ["SOURCE_DATE_EPOCH"])
    created = datetime.fromtimestamp(epoch, timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
    blobs = {}

    def blob(kind, data, **more):
        """Keeps `data` and gives its descriptor."""
        digest = hashlib.sha256(data).hexdigest()
        blobs[digest] = data
        return {"mediaType": kind, "digest": f"sha256:{digest}", "size": len(data), **more}

    def text(value):
        return json.dumps(value, indent=1, sort_keys=True).encode()

    layer = layer_of(Path(folder), epoch)
    kind = "application/vnd.oci.image"
    packed = blob(f"{kind}.layer.v1.tar+gzip", gzip.compress(layer, 9, mtime=0))
    config = blob(f"{kind}.config.v1+json", text({
        "created": created,
        "architecture": machine,
        "os": "linux",
        "config": {
            "User": f"{USER}:{USER}",
            "ExposedPorts": {f"{PORT}/tcp": {}},
            "Entrypoint": ["/usr/bin/evenweave"],
            "Cmd": ["serve", "--listen", f"0.0.0.0:{PORT}"],
            "WorkingDir": "/var/lib/evenweave",
            "StopSignal": "SIGTERM",
            "Labels": {
                "org.opencontainers.image.title": "evenweave",
                "org.opencontainers.image.description": "YARN's schedulers, to simulate, check and watch",
                "org.opencontainers.image.version": version,
                "org.opencontainers.image.revision": revision,
                "org.opencontainers.image.created": created,
                "org.opencontainers.image.licenses": "Apache-2.0",
            },
        },
        "rootfs": {"type": "layers", "diff_ids": [f"sha256:{hashlib.sha256(layer).hexdigest()}"]},
        "history": [{"created": created, "created_by": "packaging/image.py"}],
    }))
    manifest = blob(f"{kind}.manifest.v1+json", text({
        "schemaVersion": 2,
        "mediaType": f"{kind}.manifest.v1+json",
        "config": config,
        "layers": [packed],
    }), platform={"architecture": machine, "os": "linux"}, annotations={
        "org.opencontainers.image.ref.name": version,
        "io.containerd.image.name": f"localhost/evenweave:{version}",
    })
    index = {"schemaVersion": 2, "mediaType": f"{kind}.index.v1+json", "manifests": [manifest]}
    with tarfile.open(file, mode="w", format=tarfile.USTAR_FORMAT) as tar:
        add(tar, "blobs", epoch)
        add(tar, "blobs/sha256", epoch)
        for digest, data in sorted(blobs.items()):
            add(tar, f"blobs/sha256/{digest}", epoch, data, 0o644)
        add(tar, "index.json", epoch, text(index), 0o644)
        add(tar, "oci-layout", epoch, text({"imageLayoutVersion": "1.0.0"}), 0o644)


if __name__ == "__main__":
    if len(sys.argv) != 6:
        sys.exit(__doc__.split("\n")[0])
    main(*sys.argv[1:])
