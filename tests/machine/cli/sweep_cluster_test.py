#!/usr/bin/env python3
"""`kernbench sweep --on slurm` and `--on parallel` against the real programs, on this computer alone.

usage: sweep_cluster_test.py slurm|parallel KERNBENCH SOURCES SWAP_ADD_PLUGIN

Slurm is started here, with its own munged, key, sockets, ports and folders, and ended at the end. Exit code 77: a program
is not installed (Debian: slurmctld slurmd slurm-client munge parallel), nothing was tested.
"""

import glob
import os
import random
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

SKIPPED = 77
PLACE, KERNBENCH, SOURCES, PLUGIN = sys.argv[1:5]
NEEDED = {"slurm": ["munged", "slurmctld", "slurmd", "sbatch", "squeue", "scancel"], "parallel": ["parallel"]}

# What this test changes of the slurm.conf that users copy.
SLURM_CHANGES = """
SlurmUser={user}
SlurmdUser=root
AuthInfo=socket={folder}/munge/socket
SlurmctldPort={ports[0]}
SlurmdPort={ports[1]}
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldLogFile=
SlurmdLogFile=
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
SlurmdTimeout=5
SchedulerParameters=sched_interval=1,batch_sched_delay=0,requeue_delay=0
MailProg=/bin/true
"""

SWEEP = """
sweep: sums
workload: vector-add
topology: {sources}/configs/one_pe.yaml
axes:
  n: {{set: elements_per_pe, range: {{from: 256, to: {last}, step: 256}}}}
  hbm: {{machine: cube.memory_map.hbm_channel_bw_gbs, values: [16, 32]}}
columns:
  time_ns: max /launches/*/pe_exec_ns/max
  rate: n / time_ns
"""


def expect(condition, text):
    if not condition:
        raise AssertionError(text)


def wait_until(condition, what, seconds=60):
    end = time.time() + seconds
    while time.time() < end:
        if condition():
            return
        time.sleep(0.1)
    raise AssertionError(f"{what}: not within {seconds} s")


def read(path):
    with open(path, "rb") as file:
        return file.read()


def free_ports(count):
    """Below the range from which the system gives ports to others while the daemons start."""
    ports = []
    while len(ports) < count:
        port = random.randrange(20000, 32000)
        with socket.socket() as one:
            try:
                one.bind(("", port))
            except OSError:
                continue
        if port not in ports:
            ports.append(port)
    return ports


def sweep(folder, out, *options, env=None, check=True):
    command = [KERNBENCH, "sweep", f"{folder}/s.yaml", "--out", f"{folder}/{out}", *options]
    done = subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True, timeout=300)
    if check:
        expect(done.returncode == 0, f"{command}: {done.returncode}\n{done.stdout}\n{done.stderr}")
    return done


def write_sweep(folder, last):
    with open(f"{folder}/s.yaml", "w") as file:
        file.write(SWEEP.format(sources=SOURCES, last=last))


def processes_of(folder):
    """Ids of processes that this test has started, directly or through Slurm: they know its folder."""
    found = []
    for path in glob.glob("/proc/[0-9]*"):
        pid = int(path.split("/")[2])
        try:
            if pid != os.getpid() and any(folder.encode() in read(f"{path}/{what}") for what in ["cmdline", "environ"]):
                found.append(pid)
        except OSError:
            pass
    return found


def slurm_conf(**values):
    changes = SLURM_CHANGES.format(**values)
    changed = {line.partition("=")[0] for line in changes.split()}
    with open(f"{SOURCES}/examples/sweep/slurm.conf") as file:
        kept = [line for line in file if line.partition("=")[0] not in changed]
    return "".join(kept) + "".join(line + "\n" for line in changes.split() if not line.endswith("="))


class Slurm:
    """One node with its own authentication, in the foreground."""

    def __init__(self, folder):
        self.folder = folder
        self.programs = {}
        for name in ["state", "spool", "munge"]:
            os.mkdir(f"{folder}/{name}")
        os.chmod(f"{folder}/munge", 0o700)
        with open(f"{folder}/munge/key", "wb") as file:
            file.write(os.urandom(1024))
        os.chmod(f"{folder}/munge/key", 0o600)
        user = subprocess.run(["id", "-un"], capture_output=True, text=True).stdout.strip()
        with open(f"{folder}/slurm.conf", "w") as file:
            file.write(slurm_conf(user=user, folder=folder, ports=free_ports(2)))
        version = subprocess.run(["slurmd", "-V"], capture_output=True, text=True).stdout  # slurm-wlm 22.05.8
        if int(version.split()[1].partition(".")[0]) >= 23:  # it asks for cgroups, which a container may not have
            with open(f"{folder}/cgroup.conf", "w") as file:
                file.write("CgroupPlugin=disabled\n")
        self.env = dict(os.environ, SLURM_CONF=f"{folder}/slurm.conf")
        munge = f"{folder}/munge"
        self.start("munged", "munged", "--foreground", "--force", f"--key-file={munge}/key", f"--socket={munge}/socket",
                   f"--pid-file={munge}/pid", f"--log-file={munge}/log", f"--seed-file={munge}/seed")
        wait_until(lambda: os.path.exists(f"{munge}/socket"), "munged listens")
        self.start("slurmctld", "slurmctld", "-D", "-c")
        self.start("slurmd", "slurmd", "-D")
        wait_until(self.is_idle, "the node is idle")

    def start(self, name, *command):
        log = open(f"{self.folder}/{name}.log", "ab")
        self.programs[name] = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, env=self.env)

    def is_idle(self):
        done = subprocess.run(["sinfo", "--noheader", "--format=%t"], env=self.env, capture_output=True, text=True)
        return done.stdout.strip() == "idle"

    def lose_node(self):
        """As when its power fails: the daemon and all that runs on it are gone at once."""
        kept = {self.programs["munged"].pid, self.programs["slurmctld"].pid}
        # Stopped first: a step that sees its task die would report a failed job, and one that is forked meanwhile survive.
        stopped = set()
        while True:
            found = set(processes_of(self.folder)) - kept - stopped
            if not found:
                break
            self.signal(found, signal.SIGSTOP)
            stopped |= found
        self.signal(stopped, signal.SIGKILL)
        self.programs["slurmd"].wait()

    @staticmethod
    def signal(pids, which):
        for pid in pids:
            try:
                os.kill(pid, which)
            except OSError:
                pass

    def requeue_now(self):
        """A job of a lost node is held back for two minutes."""
        done = subprocess.run(["squeue", "--noheader", "--array", "--format=%i", "--states=PENDING"], env=self.env,
                              capture_output=True, text=True)
        for job in done.stdout.split():
            subprocess.run(["scontrol", "update", f"JobId={job}", "StartTime=now"], env=self.env, capture_output=True)

    def stop(self):
        for name in ["slurmd", "slurmctld", "munged"]:
            program = self.programs.get(name)
            if program is None or program.poll() is not None:
                continue
            program.terminate()
            try:
                program.wait(15)
            except subprocess.TimeoutExpired:
                program.kill()
                program.wait()
        self.signal(processes_of(self.folder), signal.SIGKILL)


def test_slurm(folder):
    slurm = Slurm(folder)
    try:
        write_sweep(folder, 256 * 20)
        sweep(folder, "local")
        done = sweep(folder, "slurm", "--on", "slurm", "--wait", "--points-per-task", "7", env=slurm.env)
        expect(" 6 tasks of 7 points" in done.stdout, done.stdout)
        expect("40 points, 40 ok, 0 failed" in done.stdout, done.stdout)
        expect(read(f"{folder}/slurm/points.csv") == read(f"{folder}/local/points.csv"), "Slurm gives another table")
        place = ["--on", "slurm", "--wait"]
        test_example(folder, place, slurm.env)
        test_retry(folder, place, slurm.env)
        test_full_disk(folder, place, slurm.env)
        test_lost_node(folder, slurm)
    except BaseException:
        for log in sorted(glob.glob(f"{folder}/*.log") + glob.glob(f"{folder}/*/slurm/*.log")):
            print(f"-- {log}\n{read(log).decode(errors='replace')[-3000:]}")
        raise
    finally:
        slurm.stop()


def test_lost_node(folder, slurm):
    write_sweep(folder, 256 * 200)
    sweep(folder, "whole")
    done = sweep(folder, "lost", "--on", "slurm", "--points-per-task", "200", env=slurm.env)
    expect("2 tasks" in done.stdout, done.stdout)
    again = sweep(folder, "lost", env=slurm.env, check=False)
    expect(again.returncode == 2 and "Slurm jobs of this sweep have not ended" in again.stderr, again.stderr)
    wait_until(lambda: glob.glob(f"{folder}/lost/journal/*"), "a point is done")
    slurm.lose_node()
    kept = sum(read(path).count(b"\n") for path in glob.glob(f"{folder}/lost/journal/*"))
    expect(0 < kept < 400, f"{kept} points were done when the node was lost")
    slurm.start("slurmd", "slurmd", "-D")

    def ended():
        slurm.requeue_now()
        return os.path.exists(f"{folder}/lost/points.csv")

    wait_until(ended, "the requeued tasks have ended", 420)
    expect(read(f"{folder}/lost/points.csv") == read(f"{folder}/whole/points.csv"), "a lost node changes the table")
    lines = sum(read(path).count(b"\n") for path in glob.glob(f"{folder}/lost/journal/*"))
    expect(lines == 400, f"{lines} answers of 400 points: finished ones were run again")


def test_retry(folder, place, env=None):
    """Points that had too little memory run again, where they are told to, with more of it."""
    text = SWEEP.format(sources=SOURCES, last=256 * 20)
    with open(f"{folder}/s.yaml", "w") as file:
        file.write(text + "limits: {memory: 1 MB, retries: 0}\n")
    place = [*place, "--points-per-task", "15"]
    done = sweep(folder, "retried", *place, env=env, check=False)
    expect("40 points, 0 ok, 40 failed" in done.stdout and "MEMORY_LIMIT_OF_POINT" in done.stdout,
           done.stdout + done.stderr)
    done = sweep(folder, "retried", *place, env=env, check=False)
    expect("0 were run" in done.stdout, done.stdout + done.stderr)
    with open(f"{folder}/s.yaml", "w") as file:
        file.write(text + "limits: {memory: 2 GB}\n")
    done = sweep(folder, "retried", *place, "--retry-failed", env=env)
    expect("40 points, 40 ok, 0 failed; 40 were run" in done.stdout, done.stdout)
    sweep(folder, "not-retried")
    expect(read(f"{folder}/retried/points.csv") == read(f"{folder}/not-retried/points.csv"), "a retry changes the table")


def test_example(folder, place, env=None):
    """The example of the guide over a kernel of one's own, as it is: the same table and pictures as without a cluster."""
    with open(f"{SOURCES}/examples/sweep/swap_add.yaml") as file:
        text = file.read().replace("build/libswap_add.so", PLUGIN).replace("../../configs", f"{SOURCES}/configs")
    with open(f"{folder}/s.yaml", "w") as file:
        file.write(text)
    sweep(folder, "example-local", "--plot")
    done = sweep(folder, "example", *place, "--plot", "--points-per-task", "9", env=env)
    expect("swap-add: 80 points, 80 ok, 0 failed" in done.stdout, done.stdout)
    expect(read(f"{folder}/example/points.csv") == read(f"{folder}/example-local/points.csv"), "another table")
    pictures = sorted(os.listdir(f"{folder}/example-local/plots"))
    expect(any(name.endswith(".png") for name in pictures), pictures)
    expect(sorted(os.listdir(f"{folder}/example/plots")) == pictures, "other pictures")


def test_full_disk(folder, place, env=None):
    """Tasks that find no room end, what was done is kept, and the same command goes on when there is room."""
    disk = f"{folder}/disk"
    os.mkdir(disk)
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=32k", "tmpfs", disk], capture_output=True).returncode != 0:
        print("a full disk was not tried: mounting needs the rights of root")
        return
    try:
        write_sweep(folder, 256 * 200)
        sweep(folder, "roomy")
        place = [*place, "--points-per-task", "100"]
        done = sweep(folder, "disk/out", *place, env=env, check=False)
        expect(done.returncode != 0, done.stdout + done.stderr)
        expect(not os.path.exists(f"{disk}/out/points.csv"), "there is a table of some of the points")
        kept = sum(read(path).count(b"\n") for path in glob.glob(f"{disk}/out/journal/*"))
        expect(0 < kept < 400, f"{kept} points of 400 are kept")
        subprocess.run(["mount", "-o", "remount,size=8m", disk], check=True)
        done = sweep(folder, "disk/out", *place, env=env)
        expect("400 points, 400 ok, 0 failed" in done.stdout, done.stdout)
        expect(read(f"{disk}/out/points.csv") == read(f"{folder}/roomy/points.csv"), "a full disk changes the table")
        lines = sum(read(path).count(b"\n") for path in glob.glob(f"{disk}/out/journal/*"))
        expect(lines == 400, f"{lines} answers of 400 points, {kept} of them from before")
    finally:
        subprocess.run(["umount", "--lazy", disk], check=True)


FAKE_SSH = """#!/bin/sh
# Stands for a network: two hosts that are this computer. The host "dying" loses its power with its first task.
# Like sshd it names the user's shell, by which GNU parallel runs a task.
export SHELL=/bin/sh
while [ "${1#-}" != "$1" ]; do case "$1" in -o | -l | -p) shift ;; esac; shift; done
host="$1"
shift
[ "$1" = -- ] && shift
if [ "$host" = dying ] && mkdir "$KB_TEST_FOLDER/died" 2>/dev/null; then
  setsid sh -c "$*" &
  sleep 0.7
  kill -KILL -- -$!
  exit 255
fi
exec sh -c "$*"
"""


def test_parallel(folder):
    write_sweep(folder, 256 * 100)
    sweep(folder, "local")
    sweep(folder, "here", "--on", "parallel", "--points-per-task", "30")
    expect(read(f"{folder}/here/points.csv") == read(f"{folder}/local/points.csv"), "parallel gives another table")
    place = ["--on", "parallel"]
    test_example(folder, place)
    test_retry(folder, place)
    test_full_disk(folder, place)
    write_sweep(folder, 256 * 100)
    with open(f"{folder}/ssh", "w") as file:
        file.write(FAKE_SSH)
    os.chmod(f"{folder}/ssh", 0o755)
    with open(f"{folder}/hosts", "w") as file:
        file.write("1/dying\n1/living\n")
    env = dict(os.environ, PARALLEL_SSH=f"{folder}/ssh", KB_TEST_FOLDER=folder, HOME=folder)
    done = sweep(folder, "hosts-out", "--on", "parallel", "--hosts", "hosts", "--points-per-task", "50", env=env)
    expect(os.path.exists(f"{folder}/died"), "no host was lost")
    expect("200 points, 200 ok" in done.stdout, done.stdout)
    expect(read(f"{folder}/hosts-out/points.csv") == read(f"{folder}/local/points.csv"), "a lost host changes the table")


def main():
    missing = [name for name in NEEDED[PLACE] if shutil.which(name, path=os.environ["PATH"] + ":/usr/sbin") is None]
    if missing:
        print(f"skipped: {', '.join(missing)} not installed (Debian: slurmctld slurmd slurm-client munge parallel)")
        return SKIPPED
    os.environ["PATH"] += ":/usr/sbin"
    folder = tempfile.mkdtemp(prefix="kb-sweep-")
    os.chmod(folder, 0o755)
    try:
        {"slurm": test_slurm, "parallel": test_parallel}[PLACE](folder)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    print(f"{PLACE}: passed")
    return 0


sys.exit(main())
