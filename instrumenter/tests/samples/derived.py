"""The derived events of a file of samples, by conditions on bits that are written here by hand.

Usage: derived.py sqlite FILE | derived.py duckdb DIR
Prints a line for each event: its code and its count or sum.
"""

import sys

def bit(register, number):
    return f"((coalesce({register}, 0) >> {number}) & 1) = 1"

def bits(register, first, count):
    return f"((coalesce({register}, 0) >> {first}) & {(1 << count) - 1})"

def no(condition):
    return f"NOT ({condition})"

F, D, D2, D3 = "IbsFetchCtl", "IbsOpData", "IbsOpData2", "IbsOpData3"
begun = "(" + " OR ".join(bit(F, n) for n in (50, 51, 52, 55, 56)) + ")"
branch = bit(D, 37)
load, store = bit(D3, 0), bit(D3, 1)
access = f"({load} OR {store})"
linear = bit(D3, 17)
l1, l2 = bit(D3, 2), bit(D3, 3)
missed = bit(D3, 7)
# Later families have two bits more.
source = f"({bits(D2, 0, 3)} + 8 * {bits(D2, 6, 2)})"
behind = f"{load} AND {missed} AND {source} != 0"
remote = bit(D2, 4)
near = no(remote)

EVENTS = [
    (0xF000, "fetch", [], None),
    (0xF001, "fetch", [no(begun)], None),
    (0xF002, "fetch", [begun], None),
    (0xF003, "fetch", [bit(F, 50)], None),
    (0xF004, "fetch", [begun, no(bit(F, 50))], None),
    (0xF005, "fetch", [bit(F, 52), no(bit(F, 55))], None),
    (0xF006, "fetch", [bit(F, 55), no(bit(F, 56))], None),
    (0xF007, "fetch", [bit(F, 55), bit(F, 56)], None),
    (0xF008, "fetch", [bit(F, 51)], None),
    (0xF009, "fetch", [bit(F, 50), no(bit(F, 51))], None),
    (0xF00A, "fetch", [bit(F, 52), bits(F, 53, 2) + " = 0"], None),
    (0xF00B, "fetch", [bit(F, 52), bits(F, 53, 2) + " = 1"], None),
    (0xF00C, "fetch", [bit(F, 52), bits(F, 53, 2) + " = 2"], None),
    (0xF00D, "fetch", [bit(F, 52), bits(F, 53, 2) + " = 3"], None),
    (0xF00E, "fetch", [begun], bits(F, 32, 16)),
    (0xF00F, "fetch", [bit(F, 50), bit(F, 58)], None),
    (0xF010, "fetch", [bit(F, 55)], bits("IC_IBS_EXTD_CTL", 0, 16)),
    (0xF100, "op", [], None),
    (0xF101, "op", [], bits(D, 16, 16)),
    (0xF102, "op", [], bits(D, 0, 16)),
    (0xF103, "op", [branch], None),
    (0xF104, "op", [branch, bit(D, 36)], None),
    (0xF105, "op", [branch, bit(D, 35)], None),
    (0xF106, "op", [branch, bit(D, 35), bit(D, 36)], None),
    (0xF107, "op", [branch, bit(D, 34)], None),
    (0xF108, "op", [branch, bit(D, 34), bit(D, 36)], None),
    (0xF109, "op", [bit(D, 32)], None),
    (0xF10A, "op", [branch, "coalesce(IbsBrTarget, 0) != 0"], None),
    (0xF200, "op", [access], None),
    (0xF201, "op", [load], None),
    (0xF202, "op", [store], None),
    (0xF203, "op", [access, linear, no(l1)], None),
    (0xF204, "op", [access, linear, l1, no(l2)], None),
    (0xF205, "op", [access, linear, l1, l2], None),
    (0xF206, "op", [access, missed], None),
    (0xF207, "op", [access, no(missed)], None),
    (0xF208, "op", [access, bit(D3, 8)], None),
    (0xF209, "op", [access, bit(D3, 9)], None),
    (0xF20A, "op", [access, bit(D3, 10)], None),
    (0xF20B, "op", [load, bit(D3, 11)], None),
    (0xF20C, "op", [load, bit(D3, 12)], None),
    (0xF20D, "op", [access, bit(D3, 14)], None),
    (0xF20E, "op", [access, bit(D3, 13)], None),
    (0xF20F, "op", [access, bit(D3, 15)], None),
    (0xF210, "op", [access, bit(D3, 16)], None),
    (0xF211, "op", [access, linear, no(l1), no(bit(D3, 4)), no(bit(D3, 5))], None),
    (0xF212, "op", [access, linear, no(l1), bit(D3, 4)], None),
    (0xF213, "op", [access, linear, no(l1), bit(D3, 5)], None),
    (0xF215, "op", [access, linear, l1, no(l2), no(bit(D3, 6)), no(bit(D3, 19))], None),
    (0xF216, "op", [access, linear, l1, no(l2), bit(D3, 6)], None),
    (0xF217, "op", [access, linear, l1, no(l2), bit(D3, 19)], None),
    (0xF219, "op", [load, missed], bits(D3, 32, 16)),
    (0xF21A, "op", [access, linear], None),
    (0xF21B, "op", [access, bit(D3, 18)], None),
    (0xF21C, "op", [load, bit("IbsOpData4", 0)], None),
    (0xF240, "op", [behind, near], None),
    (0xF241, "op", [behind, remote], None),
    (0xF242, "op", [behind, near, source + " = 1"], None),
    (0xF243, "op", [behind, near, source + " = 2"], None),
    (0xF244, "op", [behind, remote, source + " = 2"], None),
    (0xF245, "op", [behind, near, source + " = 3"], None),
    (0xF246, "op", [behind, remote, source + " = 3"], None),
    (0xF247, "op", [behind, near, source + " = 7"], None),
    (0xF248, "op", [behind, remote, source + " = 7"], None),
    (0xF249, "op", [behind, source + " = 2", no(bit(D2, 5))], None),
    (0xF24A, "op", [behind, source + " = 2", bit(D2, 5)], None),
    (0xF24B, "op", [behind, near], bits(D3, 32, 16)),
    (0xF24C, "op", [behind, remote], bits(D3, 32, 16)),
]

if sys.argv[1] == "sqlite":
    import sqlite3
    connection = sqlite3.connect(f"file:{sys.argv[2]}?mode=ro", uri=True)
    table = "samples"
else:
    import duckdb
    connection = duckdb.connect()
    table = f"read_parquet('{sys.argv[2]}/*/*/*.parquet', hive_partitioning = true)"

for code, kind, conditions, total in EVENTS:
    wanted = " AND ".join([f"kind = '{kind}'"] + conditions)
    what = "count(*)" if total is None else f"coalesce(sum({total}), 0)"
    count = connection.execute(f"SELECT {what} FROM {table} WHERE {wanted}").fetchone()[0]
    print(f"{code:04X} {int(count)}")
