#!/usr/bin/env python3
"""Collects what GCC's scheduler says of instructions in a row: pairs.py FLAGS... FILE.c... > pairs.txt

Only every third pair is kept: those of the list are of 240 files of musl 1.2.3 (string, stdlib, regex, search, crypt,
multibyte, prng, math, time, and v*.c of stdio), with -std=c99 -ffreestanding -D_XOPEN_SOURCE=700 and its include folders.

For each C file, GCC compiles for the Pentium and prints in which cycle its model issues each instruction. Two instructions
of one cycle pair ("+"). Of an instruction that is alone in its cycle and the next one, GCC says that they do not, if the
next one was ready then, at the start of a block ("u", its unit is not free) or needs the first one's result ("d"). Other neighbours say nothing, as the next one waited for something older. Each pair is listed once.
"""
import os, re, subprocess, sys, tempfile

flags = [word for word in sys.argv[1:] if word.startswith("-")]
files = [word for word in sys.argv[1:] if not word.startswith("-")]
found, lines = {}, 0
for source in files:
    with tempfile.TemporaryDirectory() as folder:
        text = os.path.join(folder, "t.s")
        command = ["gcc", "-m32", "-march=pentium", "-mno-sse", "-O2", "-fno-pic", "-fcf-protection=none", "-w", *flags,
                   "-masm=intel", "-dp", "-fdump-rtl-sched2=" + folder + "/t.sched2", "-fsched-verbose=5", "-fno-asynchronous-unwind-tables",
                   "-fno-stack-protector", "-S", source, "-o", text]
        if subprocess.run(command, capture_output=True).returncode:
            continue
        dump = os.path.join(folder, "t.sched2")
        if not os.path.exists(dump):
            continue
        dump, assembly = open(dump).read(), open(text).read()
    # The instructions of each function by their number, if a number stands for one instruction.
    functions, name = {}, None
    for line in assembly.splitlines():
        begins = re.match(r"^([\w.]+):$", line)
        if begins and not line.startswith(".L"):
            name = functions.setdefault(begins[1], {})
        insn = re.match(r"^\t(.*?)\s+# (\d+)\s+\[c=", line)
        if insn and name is not None:
            name.setdefault(int(insn[2]), []).append(" ".join(insn[1].split()))
            lines += 1
    for part in dump.split(";; Function ")[1:]:
        of_name = functions.get(part.split()[0], {})
        for block in re.split(r";;\s+={10,}", part):
            issued, resolved_by, ready_in, ready, last, cycle = [], {}, {}, [], None, 0
            for line in block.splitlines():
                if match := re.match(r";;\s+max_issue among \d+ insns:(.*)", line):
                    ready = [int(one) for one in re.findall(r"(\d+):\d+:", match[1])]
                elif match := re.match(r";;\s+(\d+)-->\s+b\s+\d+: i\s+(\d+) .*:(\S+)$", line):
                    cycle, last = int(match[1]), int(match[2])
                    issued.append((cycle, last))
                    ready_in.setdefault(cycle, set()).update(ready)
                elif match := re.match(r";;\s+dependencies resolved: insn (\d+)", line):
                    resolved_by[int(match[1])] = last
            for (cycle, first), (after, second) in zip(issued, issued[1:]):
                texts = [of_name.get(number, []) for number in (first, second)]
                if any(len(one) != 1 for one in texts):
                    continue
                together = [number for at, number in issued if at == cycle]
                if after == cycle and together == [first, second]:
                    verdict = "+"
                elif together != [first]:
                    continue
                elif second in ready_in[cycle]:
                    # Later in a block, an earlier instruction may still hold the unit.
                    if cycle > 0:
                        continue
                    verdict = "u"
                elif resolved_by.get(second) == first:
                    verdict = "d"
                else:
                    continue
                found.setdefault((texts[0][0], texts[1][0]), verdict)


REGISTERS = re.compile(r"(e?[abcd]x|[abcd][lh]|e?[sd]i|e?[sb]p|st|ptr|[dq]?word|byte|tbyte|offset|[defg]s)$", re.I)


def plain(text):
    """The instruction with one name for all data, one for all labels, and a count for each shift."""
    text = text.replace("FLAT:", "").replace("OFFSET ", "offset ")
    if jump := re.match(r"(j\w+|call|loop\w*)\s", text):
        return jump[1] + " next"
    if re.match(r"(sh[lr]|sa[lr]|ro[lr]|rc[lr])\s[^,]*$", text):
        text += ", 1"
    mnemonic, _, operands = text.partition(" ")
    name = lambda found: found[0] if REGISTERS.match(found[0]) else "area"
    return f"{mnemonic} {re.sub(r'(?<![0-9])[._A-Za-z][.$A-Za-z_0-9]*', name, operands)}".strip()


kept = {}
for (first, second), verdict in sorted(found.items()):
    # What follows a call or a jump is not executed next, and a return leaves the program.
    if not re.match(r"(j|call|ret|rep)", first) and not re.match(r"(ret|call|rep)", second):
        kept.setdefault((plain(first), plain(second)), verdict)
print(f"; {lines} compiled lines of {len(files)} files, {len(kept)} pairs, of which every third is here")
for (first, second), verdict in list(kept.items())[::3]:
    print(f"{verdict} {first} | {second}")
