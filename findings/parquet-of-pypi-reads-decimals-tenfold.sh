#!/usr/bin/env bash
# parquet 1.3.1 (PyPI) reads Parquet files in plain Python, and prints them with its program `parquet`. Expected: the
# values that were written, or an error for a type that it does not know. A decimal with two places is multiplied by
# 10e-2, which is 0.1: prices are ten times too high. The days of a date are counted from the year 1 instead of 1970:
# June 2020 becomes June 51. A column of booleans is left out of each row, as its type has the number 0 and is taken for
# that of a group. Of binary columns with a fixed length, as those for hashes and UUIDs are, the row gets one byte of
# the first value, as a number. Nothing is said. Text, integers and floating-point numbers are right. Written by pyarrow
# 21.0.0 (PyPI):
#
# Seen:
#   written: price 12.34, day 2020-06-01, open True, hash abcd, count 7
#   read: price 123.40, day 0051-06-01, open missing, hash 97, count 7
#
# Needs python3 and no root. Takes 200 MiB below the temp folder, and leaves nothing.
set -euo pipefail

dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
python3 -m venv venv
venv/bin/pip -q --disable-pip-version-check install parquet==1.3.1 thriftpy2==0.5.3 pyarrow==21.0.0

venv/bin/python - >seen <<'END'
import datetime
from decimal import Decimal

import parquet
import pyarrow
import pyarrow.parquet

table = pyarrow.table({
    "price": pyarrow.array([Decimal("12.34"), Decimal("0.50")], pyarrow.decimal128(9, 2)),
    "day": [datetime.date(2020, 6, 1), datetime.date(2020, 6, 2)],
    "open": [True, False],
    "hash": pyarrow.array([b"abcd", b"efgh"], pyarrow.binary(4)),
    "count": [7, 8],
})
pyarrow.parquet.write_table(table, "file", use_dictionary=False, compression="none", store_decimal_as_integer=True)


def told(row):
    values = [row.get(name, "missing") for name in table.column_names]
    values = [value.decode() if isinstance(value, bytes) else value for value in values]
    return ", ".join(f"{name} {value}" for name, value in zip(table.column_names, values))


print("written:", told(table.to_pylist()[0]))
with open("file", "rb") as file:
    print("read:", told(next(parquet.DictReader(file))))
END
cat seen
[ "$(cat seen)" = 'written: price 12.34, day 2020-06-01, open True, hash abcd, count 7
read: price 123.40, day 0051-06-01, open missing, hash 97, count 7' ] || { echo "this has changed"; exit 1; }
