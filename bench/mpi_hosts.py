"""Hosts on one machine, for the harnesses of many hosts: each is a namespace for network, mounts, processes and name of
its own, all on one bridge, so that one can be lost as a whole by the end of its first process. Two of them serve a
GlusterFS volume, and all mount it at the same place."""

import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time

BRIDGE, NET = "assaybr", "10.213.77"

# What a launcher calls as it would call ssh: SCRIPT HOST COMMAND.
SHELL = """#!/bin/sh
pid=$(cat {base}/$1.pid) || exit 1
shift
exec nsenter --target "$pid" --net --mount --uts --pid sh -c "$*"
"""

BRICK = """volume posix
    type storage/posix
    option directory {store}
end-volume
volume access
    type features/access-control
    subvolumes posix
end-volume
volume locks
    type features/locks
    subvolumes access
end-volume
volume brick
    type performance/io-threads
    subvolumes locks
end-volume
volume server
    type protocol/server
    option transport-type socket
    option transport.socket.listen-port 24010
    option auth.addr.brick.allow *
    subvolumes brick
end-volume
"""

REMOTE = """volume remote{number}
    type protocol/client
    option transport-type socket
    option remote-host {address}
    option remote-port 24010
    option remote-subvolume brick
end-volume
"""

CLIENT = """volume distribute
    type cluster/distribute
    subvolumes {remotes}
end-volume
volume utime
    type features/utime
    option noatime on
    subvolumes distribute
end-volume
volume behind
    type performance/write-behind
    subvolumes utime
end-volume
volume cache
    type performance/md-cache
    subvolumes behind
end-volume
volume threads
    type performance/io-threads
    subvolumes cache
end-volume
"""


def sh(command):
    done = subprocess.run(command.split(), capture_output=True, text=True)
    if done.returncode != 0:
        raise SystemExit(f"{command}: {done.stderr.strip()}")


class Hosts:
    """So many hosts, `assayh1` and on, with one file system; a context that leaves nothing."""

    def __init__(self, count, bricks=2):
        self.base = pathlib.Path(tempfile.mkdtemp(prefix="mpi-hosts-"))
        self.names = [f"assayh{number}" for number in range(1, count + 1)]
        self.bricks = bricks
        self.target = self.base / "shared"
        self.children = {}

    def __enter__(self):
        # Who is told to end leaves nothing either.
        signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
        self.target.mkdir()
        shell = self.base / "shell"
        shell.write_text(SHELL.format(base=self.base))
        shell.chmod(0o755)
        try:
            sh(f"ip link add {BRIDGE} type bridge")
            sh(f"ip addr add {NET}.1/24 dev {BRIDGE}")
            sh(f"ip link set {BRIDGE} up")
            for name in self.names:
                self.begin(name)
            self.serve()
            for name in self.names:
                self.mount(name)
        except BaseException:
            self.__exit__()
            raise
        return self

    def begin(self, name):
        """Switches a host on."""
        number = name.removeprefix("assayh")
        first = "hostname {}; touch {}; exec sleep infinity".format(name, self.base / f"{name}.up")
        child = subprocess.Popen(["unshare", "--net", "--uts", "--mount", "--pid", "--fork", "--kill-child",
                                  "--mount-proc", "sh", "-c", first])
        self.children[name] = child
        self.await_path(self.base / f"{name}.up")
        pid = pathlib.Path(f"/proc/{child.pid}/task/{child.pid}/children").read_text().split()[0]
        (self.base / f"{name}.pid").write_text(pid)
        sh(f"ip link add assayv{number} type veth peer name eth0 netns {pid}")
        sh(f"ip link set assayv{number} master {BRIDGE} up")
        self.do(name, f"ip addr add {NET}.1{number}/24 dev eth0 && ip link set eth0 up && ip link set lo up")

    def do(self, name, command):
        sh_path = self.base / "shell"
        done = subprocess.run([sh_path, name, command], capture_output=True, text=True)
        if done.returncode != 0:
            raise SystemExit(f"{name}: {command}: {done.stderr.strip()}")
        return done.stdout

    @staticmethod
    def await_path(path, is_there=lambda path: path.exists()):
        for _ in range(400):
            if is_there(path):
                return
            time.sleep(0.05)
        raise SystemExit(f"{path} does not appear")

    def serve(self):
        """Begins to serve the volume, with a brick on each of the last hosts."""
        remotes = []
        for number, name in enumerate(self.names[-self.bricks:]):
            store = self.base / f"brick{number}"
            store.mkdir()
            graph = self.base / f"brick{number}.vol"
            graph.write_text(BRICK.format(store=store))
            self.do(name, f"glusterfsd -l {graph}.log -f {graph} -p {graph}.pid")
            address = f"{NET}.1{name.removeprefix('assayh')}"
            remotes.append(REMOTE.format(number=number, address=address))
        names = " ".join(f"remote{number}" for number in range(self.bricks))
        (self.base / "client.vol").write_text("".join(remotes) + CLIENT.format(remotes=names))

    def mount(self, name):
        self.do(name, f"glusterfs -l {self.base}/{name}.log -f {self.base}/client.vol {self.target}")
        for _ in range(200):
            if "fuse.glusterfs" in self.do(name, f"grep {self.target} /proc/mounts || true"):
                return
            time.sleep(0.05)
        raise SystemExit(f"{name} does not mount the volume")

    def launcher(self, ranks):
        """Words of mpirun that spread `ranks` over the hosts."""
        each = [ranks // len(self.names) + (number < ranks % len(self.names))
                for number in range(len(self.names))]
        places = ",".join(f"{name}:{count}" for name, count in zip(self.names, each) if count)
        settings = {
            "plm_rsh_agent": self.base / "shell", "plm_rsh_no_tree_spawn": 1,
            "orte_leave_session_attached": 1, "btl": "tcp,self", "hwloc_base_binding_policy": "none",
            "btl_tcp_if_include": f"{NET}.0/24", "oob_tcp_if_include": f"{NET}.0/24",
            # A host that vanishes says no goodbye: Open MPI asks after 300 s for the first time, and gives up after 480.
            "oob_tcp_keepalive_time": 10, "oob_tcp_keepalive_intvl": 5, "oob_tcp_keepalive_probes": 3,
        }
        words = ["mpirun", "--allow-run-as-root", "--oversubscribe", "-n", str(ranks), "--host", places]
        return words + [str(word) for name, value in settings.items() for word in ("--mca", name, value)]

    def lose(self, name):
        """Ends all of a host at once, as a loss of power does."""
        os.kill(int((self.base / f"{name}.pid").read_text()), signal.SIGKILL)
        self.children.pop(name).wait()
        (self.base / f"{name}.up").unlink()
        subprocess.run(["ip", "link", "del", f"assayv{name.removeprefix('assayh')}"], capture_output=True)

    def again(self, name):
        """Switches a lost host on again, which has no brick, and mounts the volume there."""
        self.begin(name)
        self.mount(name)

    def files(self):
        """What lies on the volume."""
        host = next(name for name in self.names if name in self.children)
        # What is removed meanwhile is no mistake.
        return self.do(host, f"find {self.target} -mindepth 1 || true").split()

    def __exit__(self, *_):
        for name in list(self.children):
            try:
                self.lose(name)
            except (OSError, ValueError):
                self.children.pop(name).kill()
        subprocess.run(["ip", "link", "del", BRIDGE], capture_output=True)
        shutil.rmtree(self.base, ignore_errors=True)
