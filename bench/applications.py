"""Applications for bench/replay: each works in a directory that is given, and ends."""

import importlib.util
import os
import pathlib
import shutil
import subprocess
import sys

SQLITE = """
import sqlite3, sys
db = sqlite3.connect(sys.argv[1] + "/bench.db", isolation_level=None)
db.execute("PRAGMA journal_mode=" + sys.argv[2])
db.execute("PRAGMA synchronous=" + sys.argv[3])
db.execute("CREATE TABLE t (a INTEGER PRIMARY KEY, b TEXT)")
for i in range(int(sys.argv[4])):
    db.execute("INSERT INTO t (b) VALUES (?)", ("x" * (i * 37 % 300),))
"""

MAILDIR = """
import os, sys
for sub in ("tmp", "new", "cur"):
    os.mkdir(sys.argv[1] + "/" + sub)
body = os.urandom(6000)
for i in range(int(sys.argv[2])):
    name = "%d.M1P2.host" % i
    fd = os.open(sys.argv[1] + "/tmp/" + name, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
    os.write(fd, body[:1000 + i * 97 % 5000])
    os.fsync(fd)
    os.close(fd)
    os.rename(sys.argv[1] + "/tmp/" + name, sys.argv[1] + "/new/" + name)
"""

ROCKSDB = """
import os, sys
from rocksdict import Options, Rdict
options = Options(raw_mode=True)
options.create_if_missing(True)
options.set_write_buffer_size(1 << 20)
db = Rdict(sys.argv[1] + "/db", options)
for i in range(40000):
    db[b"%08d" % (i * 7919 % 40000)] = os.urandom(150)
for i in range(0, 40000, 7):
    db.get(b"%08d" % i)
db.flush()
db.close()
"""

LEVELDB = """
import os, sys, plyvel
db = plyvel.DB(sys.argv[1] + "/db", create_if_missing=True, write_buffer_size=1 << 18)
for i in range(10000):
    db.put(b"%08d" % (i * 7919 % 10000), os.urandom(150), sync=i % 50 == 0)
for i in range(0, 10000, 7):
    db.get(b"%08d" % i)
db.close()
"""

LMDB = """
import os, sys, lmdb
db = lmdb.open(sys.argv[1] + "/db", map_size=256 << 20)
for turn in range(100):
    with db.begin(write=True) as change:
        for i in range(100):
            change.put(b"%08d" % ((turn * 100 + i) * 7919 % 9000), os.urandom(300))
with db.begin() as look:
    assert sum(len(value) for _, value in look.cursor()) > 0
db.close()
"""

# PostgreSQL refuses to run as root.
POSTGRESQL = """
set -e
cd "$1"
export PATH="$2:$PATH"
as=""
if [ "$(id -u)" = 0 ]; then
    chown postgres "$1"
    as="setpriv --reuid postgres --regid postgres --clear-groups"
fi
$as initdb -D data -A trust >log
$as pg_ctl -D data -o "-k /tmp -p 54873 -c listen_addresses=''" -l server.log -w start >>log
$as pgbench -h /tmp -p 54873 -i -s 2 -q postgres >>log 2>&1
$as pgbench -h /tmp -p 54873 -c 4 -j 2 -t 300 postgres >>log 2>&1
$as pg_ctl -D data -m fast -w stop >>log
"""

REDIS = """
set -e
redis-server --dir "$1" --appendonly yes --appendfsync always --unixsocket "$1/socket" --port 0 --save "" >/dev/null &
until [ -S "$1/socket" ]; do sleep 0.02; done
redis-benchmark -s "$1/socket" -t set -n 4000 -r 2000 -d 200 -q -c 4 >/dev/null
redis-cli -s "$1/socket" shutdown nosave
wait
"""

# The cache is filled before: no run asks a server. Files are copied, as the cache is outside the recorded tree.
UV = """
set -e
cd "$1"
cp "$2/pyproject.toml" "$2/uv.lock" .
uv sync -q --offline --frozen --link-mode copy --cache-dir "$2/cache"
"""

UV_PROJECT = """
[project]
name = "bench"
version = "0.1.0"
requires-python = ">=3.9"
dependencies = ["requests==2.32.3", "attrs==24.2.0", "click==8.1.7", "rich==13.9.4"]
"""

FIO = ["fio", "--output=/dev/null", "--name=a", "--directory={}", "--size=64m", "--bs=8k", "--ioengine=io_uring",
       "--rw=randrw", "--iodepth=8", "--direct=1", "--end_fsync=1"]


def programs(material):
    """Name -> command that works in the directory {}; of those that this machine has not, the name alone."""
    python = [sys.executable, "-c"]
    shell = ["sh", "-c"]
    archive, repository = material / "tree.tar", material / "repository"
    postgresql = postgresql_folder()
    known = {
        "sqlite-rollback": [*python, SQLITE, "{}", "delete", "full", "400"],
        "sqlite-wal": [*python, SQLITE, "{}", "wal", "full", "1500"],
        "tar": ["tar", "-xf", str(archive), "-C", "{}"],
        "git-clone": ["git", "clone", "-q", "--no-hardlinks", str(repository), "{}/clone"],
        "maildir": [*python, MAILDIR, "{}", "800"],
        "postgresql": postgresql and [*shell, POSTGRESQL, "sh", "{}", postgresql],
        "redis": shutil.which("redis-benchmark") and [*shell, REDIS, "sh", "{}"],
        "rocksdb": has_module("rocksdict") and [*python, ROCKSDB, "{}"],
        "leveldb": has_module("plyvel") and [*python, LEVELDB, "{}"],
        "lmdb": has_module("lmdb") and [*python, LMDB, "{}"],
        "uv-sync": fill_uv(material) and [*shell, UV, "sh", "{}", str(material)],
        "fio-io_uring": shutil.which("fio") and FIO,
    }
    return {name: command or None for name, command in known.items()}


def has_module(name):
    return importlib.util.find_spec(name) is not None


def postgresql_folder():
    """Where the programs of PostgreSQL are; Debian keeps them out of the path."""
    found = shutil.which("initdb")
    folders = [pathlib.Path(found).resolve().parent] if found else sorted(pathlib.Path("/usr/lib/postgresql").glob("*/bin"))
    return str(folders[-1]) if folders else None


def fill_uv(material):
    """Whether uv is here and its cache could be filled."""
    if not shutil.which("uv"):
        return False
    (material / "pyproject.toml").write_text(UV_PROJECT)
    environment = {**os.environ, "UV_PROJECT_ENVIRONMENT": str(material / "first")}
    sync = ["uv", "sync", "-q", "--cache-dir", str(material / "cache")]
    return subprocess.run(sync, cwd=material, env=environment, capture_output=True).returncode == 0


def make_material(place):
    """A tree of small files, as an archive and as a repository."""
    tree = place / "tree"
    for number in range(3000):
        path = tree / f"d{number % 60}" / f"f{number}.txt"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(os.urandom(200 + number * 131 % 9000))
    run(["tar", "-cf", str(place / "tree.tar"), "-C", str(place), "tree"])
    shutil.move(tree, place / "repository")
    git = ["git", "-C", str(place / "repository"), "-c", "user.name=a", "-c", "user.email=a@b"]
    run([*git, "init", "-q"])
    run([*git, "add", "."])
    run([*git, "commit", "-q", "-m", "all"])


def run(command, **more):
    return subprocess.run(command, check=True, text=True, capture_output=True, **more)
