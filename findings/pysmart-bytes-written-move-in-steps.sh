#!/usr/bin/env bash
# pySMART 1.4.3 (PyPI) reads what smartctl tells about a disk. Of an NVMe disk smartctl prints what was written twice,
# as a count of units of 512000 bytes with all its digits, and in brackets for people, with three. pySMART takes
# `dataUnitsWritten` from the first, and `bytesWritten`, an integer of bytes like `12400000000000`, from the second.
# Expected: the units times 512000. From 10 TB on, `bytesWritten` stays for 100 GB and then jumps by 100 GB: the writes
# of a day, or the write amplification of a test, which are differences of two readings, come out as nothing or as far
# too much. The same holds for `bytesRead`. Three readings, in the lines of smartctl 7.3:
#
# Seen:
#   24,220,000 [12.4 TB]: 12400000000000 bytes, by the units 12400640000000
#   24,300,000 [12.4 TB]: 12400000000000 bytes, by the units 12441600000000
#   24,430,000 [12.5 TB]: 12500000000000 bytes, by the units 12508160000000
#   between them: 0 and 100 GB, by the units 41 and 67 GB
#
# Needs python3 and no root. Leaves nothing.
set -euo pipefail

dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
python3 -m venv venv
venv/bin/pip -q --disable-pip-version-check install pySMART==1.4.3

venv/bin/python - >seen <<'END'
from pySMART.interface.nvme import NvmeAttributes

told, exact = [], []
for written in "24,220,000 [12.4 TB]", "24,300,000 [12.4 TB]", "24,430,000 [12.5 TB]":
    lines = f"""SMART/Health Information (NVMe Log 0x02)
Critical Warning:                   0x00
Temperature:                        38 Celsius
Available Spare:                    100%
Available Spare Threshold:          10%
Percentage Used:                    1%
Data Units Read:                    1,234,567 [632 GB]
Data Units Written:                 {written}
Host Read Commands:                 20,123,456
Host Write Commands:                310,123,456
"""
    read = NvmeAttributes(iter(lines.splitlines()))
    told.append(read.bytesWritten)
    exact.append(read.dataUnitsWritten * 512000)
    print(f"{written}: {told[-1]} bytes, by the units {exact[-1]}")


def between(readings):
    return " and ".join(f"{(later - sooner) / 1e9:.0f}" for sooner, later in zip(readings, readings[1:]))


print(f"between them: {between(told)} GB, by the units {between(exact)} GB")
END
cat seen
[ "$(cat seen)" = '24,220,000 [12.4 TB]: 12400000000000 bytes, by the units 12400640000000
24,300,000 [12.4 TB]: 12400000000000 bytes, by the units 12441600000000
24,430,000 [12.5 TB]: 12500000000000 bytes, by the units 12508160000000
between them: 0 and 100 GB, by the units 41 and 67 GB' ] || { echo "this has changed"; exit 1; }
