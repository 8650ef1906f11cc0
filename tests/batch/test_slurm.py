"""examples/batch/on_slurm.sh on a cluster of one node that this test starts: as root, with Slurm and munge."""

import os
import shutil
import signal
import subprocess
import time

import pytest

from conftest import ROOT, RUNS
from takt import shards

CONFIG = """ClusterName=takt
SlurmctldHost={host}
SlurmUser=root
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket
CredType=cred/munge
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.log
SlurmctldPort=26817
SlurmdPort=26818
ProctrackType=proctrack/pgid
TaskPlugin=task/none
MpiDefault=none
ReturnToService=2
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
NodeName={host} NodeAddr=127.0.0.1 CPUs={cpus} State=UNKNOWN
PartitionName=all Nodes={host} Default=YES MaxTime=INFINITE State=UP
"""


@pytest.fixture
def slurm(tmp_path, monkeypatch):
    assert os.geteuid() == 0, "slurmd starts jobs of users, so this test needs root"
    missing = [name for name in ("munged", "slurmctld", "slurmd", "sbatch") if shutil.which(name) is None]
    assert not missing, f"{missing} are missing: ./dev setup slurm"
    folder = tmp_path / "slurm"
    for name in ("state", "spool"):
        (folder / name).mkdir(parents=True)
    for at in [folder, *folder.parents[:3]]:
        at.chmod(0o755)
    key = folder / "munge.key"
    key.write_bytes(os.urandom(128))
    key.chmod(0o400)
    host = subprocess.run(["hostname", "-s"], capture_output=True, text=True, check=True).stdout.strip()
    config = folder / "slurm.conf"
    config.write_text(CONFIG.format(host=host, folder=folder, cpus=os.cpu_count()))
    monkeypatch.setenv("SLURM_CONF", str(config))
    children = []

    def start(*words):
        with open(folder / f"{words[0]}.out", "w") as log:
            children.append(subprocess.Popen(words, stdout=log, stderr=log))

    start(
        "munged", "--foreground", "--force", f"--key-file={key}", f"--socket={folder}/munge.socket",
        f"--pid-file={folder}/munged.pid", f"--log-file={folder}/munged.log", f"--seed-file={folder}/seed",
    )  # fmt: skip
    time.sleep(1)
    start("slurmctld", "-D", "-i", "-f", str(config))
    start("slurmd", "-D", "-f", str(config))
    try:
        for _ in range(60):
            state = subprocess.run(["sinfo", "-h", "-o", "%T"], capture_output=True, text=True).stdout.strip()
            if state == "idle":
                break
            time.sleep(0.5)
        logs = "\n".join(p.read_text(errors="replace") for p in folder.glob("*.log"))
        assert state == "idle", f"the node is {state!r}\n{logs}"
        yield folder
    finally:
        for child in reversed(children):
            child.send_signal(signal.SIGTERM)
            child.wait(30)


def test_an_array_of_shards_and_a_merge(slurm, batch, monkeypatch):
    monkeypatch.setenv("SHARDS", "8")
    monkeypatch.setenv("LOGS", str(slurm / "job-%j.out"))
    table = batch.folder / "slurm.csv"
    done = subprocess.run(
        [ROOT / "examples/batch/on_slurm.sh", batch.plan, batch.folder / "slurm-results", table],
        capture_output=True,
        text=True,
        timeout=300,
    )
    logs = "\n".join(p.read_text(errors="replace") for p in slurm.glob("job-*.out"))
    assert done.returncode == 0, done.stderr + logs
    assert len(table.read_text().splitlines()) == RUNS + 1
    assert table.read_bytes() == (batch.folder / "alone.csv").read_bytes()
    assert shards.merge(batch.plan, batch.folder / "slurm-results", table) == batch.wanted
