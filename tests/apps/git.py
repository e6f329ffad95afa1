# SPDX-License-Identifier: Apache-2.0
# git with threads: the same index of a pack, the same lines found, the same pack unpacked.
import hashlib
import random

from harness import Row, outcome_of, run, version_of

TITLE = "git"
NEEDS = {"git": "git"}
ENVIRONMENT = {"PATH": "/usr/bin:/bin", "HOME": "/nonexistent", "GIT_CONFIG_NOSYSTEM": "1",
               "GIT_AUTHOR_NAME": "a", "GIT_AUTHOR_EMAIL": "a@localhost",
               "GIT_COMMITTER_NAME": "a", "GIT_COMMITTER_EMAIL": "a@localhost",
               "GIT_AUTHOR_DATE": "2000-01-01T00:00:00Z",
               "GIT_COMMITTER_DATE": "2000-01-01T00:00:00Z"}


def version():
    return version_of(["git", "--version"], r"version (\S+)")


# A repository whose files share much with each other, so that the pack has chains of deltas.
def write_repository(tree, files):
    source = random.Random(7)
    words = ["".join(source.choices("abcdefghij", k=6)) for _ in range(300)]
    run(["git", "init", "-q", "-b", "main", tree], environment=ENVIRONMENT)
    for number in range(files):
        folder = tree / f"folder{number % 20}"
        folder.mkdir(exist_ok=True)
        lines = [" ".join(source.choices(words, k=8)) for _ in range(40)]
        (folder / f"file{number}").write_text("\n".join(lines) + "\n")
    for step in range(3):
        run(["git", "-C", tree, "add", "-A"], environment=ENVIRONMENT)
        run(["git", "-C", tree, "commit", "-q", "-m", f"step {step}"], environment=ENVIRONMENT)
        for number in range(0, files, 5):
            path = tree / f"folder{number % 20}" / f"file{number}"
            path.write_text(path.read_text() + f"changed in step {step}\n")
    run(["git", "-C", tree, "repack", "-q", "-a", "-d", "-f"], environment=ENVIRONMENT)


def rows(folder, short):
    tree = folder / "tree"
    write_repository(tree, 400 if short else 3000)
    pack = next((tree / ".git/objects/pack").glob("*.pack"))

    def index_pack(place):
        index = folder / "packed.idx"
        index.unlink(missing_ok=True)
        finished = run(place.command(["git", "index-pack", "--threads=8", "-o", index, pack]),
                       folder=folder, environment=ENVIRONMENT)
        return outcome_of(finished, hashlib.sha256(index.read_bytes()).hexdigest())

    def grep(place):
        finished = run(place.command(["git", "-C", tree, "grep", "--threads", "8", "-n",
                                      "-e", "a.*b.*ccc", "-e", "changed in"]),
                       environment=ENVIRONMENT)
        return outcome_of(finished, finished.output)

    def status(place):
        finished = run(place.command(["git", "-C", tree, "-c", "core.preloadIndex=true",
                                      "status", "--porcelain"]), environment=ENVIRONMENT)
        return outcome_of(finished, finished.output)

    # Delta search takes what its threads find first, so the bytes may differ; the objects may not.
    def repack(place):
        finished = run(place.command(["git", "-C", tree, "-c", "pack.threads=8", "repack", "-q",
                                      "-a", "-f", "--no-write-bitmap-index"]),
                       environment=ENVIRONMENT)
        checked = run(["git", "-C", tree, "fsck", "--full", "--strict"], environment=ENVIRONMENT)
        listed = run(["git", "-C", tree, "rev-list", "--objects", "--all"],
                     environment=ENVIRONMENT)
        return outcome_of(finished, (checked.status, listed.output))

    yield Row("index-pack --threads=8", index_pack)
    yield Row("grep --threads 8", grep)
    yield Row("status, index preloaded by threads", status)
    yield Row("repack with 8 threads, then fsck", repack)
