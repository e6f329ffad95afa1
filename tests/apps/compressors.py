# SPDX-License-Identifier: Apache-2.0
# What the scripts of the compressors share: the text to compress, and bytes to compare.
import hashlib
import random

from harness import Failure, Row, outcome_of, run

BAR = 0.97


# Words of a small language, so that there is something to compress; the same on every machine.
def write_corpus(path, words, copies):
    source = random.Random(1)
    language = ["".join(source.choices("abcdefghijklmnop", k=source.randint(3, 9)))
                for _ in range(4000)]
    path.write_text(" ".join(source.choices(language, k=words)) * copies)


# Rows that compress the text with each command, and unpack it again. Copies are for those that need
# more than a second's work, and look back less far than the text is long.
def rows_for(folder, short, commands, unpack, words=4_000_000, copies=1):
    corpus = folder / "corpus"
    write_corpus(corpus, words // 8 if short else words, 1 if short else copies)

    def compress(command, place):
        packed = folder / "packed"
        with packed.open("wb") as output:
            finished = run(place.command([*command, corpus]), output=output)
        unpacked = folder / "unpacked"
        with packed.open("rb") as source, unpacked.open("wb") as output:
            run(place.command(unpack), stdin=source, output=output)
        if digest(unpacked) != digest(corpus):
            raise Failure("what was packed and unpacked is not the text again")
        return outcome_of(finished, digest(packed))

    for command in commands:
        yield Row(" ".join(command), lambda place, command=command: compress(command, place), BAR)


def digest(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()
