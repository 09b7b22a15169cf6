#!/usr/bin/env bash
# s3rver 3.7.1 (npm) serves S3 from a folder, e.g. to test what reads and writes an object store. A reader asks for a
# range of an object: readers of Parquet and zip begin with the last bytes, `bytes=-N`, where the table of contents is.
# Expected: the last N bytes, as S3 and HTTP have it. s3rver takes a start that is not given as 0, and N as the end: it
# answers with the first N + 1 bytes, and with status 206. An end of 0 counts as no end: `bytes=0-0`, which asks
# whether an object is there and how large it is, sends all of it. Of an object of ten bytes, `0123456789`:
#
# Seen:
#   bytes=2-4: 206, bytes 2-4/10, 234
#   bytes=7-: 206, bytes 7-9/10, 789
#   bytes=-3: 206, bytes 0-3/10, 0123
#   bytes=0-0: 206, bytes 0-9/10, 0123456789
#
# Needs node with npm and no root. Leaves nothing.
set -euo pipefail

dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir"
npm install --silent --no-fund --no-audit --prefix "$dir" s3rver@3.7.1 >/dev/null 2>&1

cat >ranges.js <<'END'
const http = require("http"), S3rver = require("s3rver");

const server = new S3rver({
    address: "127.0.0.1", port: 0, silent: true, directory: "store", configureBuckets: [{ name: "data" }],
});

function ask(port, method, headers, content) {
    return new Promise((resolve, reject) => {
        const options = { host: "127.0.0.1", port, path: "/data/object", method, headers };
        const request = http.request(options, response => {
            let body = "";
            response.on("data", piece => body += piece);
            response.on("end", () => resolve({ response, body }));
        });
        request.on("error", reject);
        request.end(content);
    });
}

async function main() {
    const { port } = await server.run();
    await ask(port, "PUT", {}, "0123456789");
    for (const range of ["bytes=2-4", "bytes=7-", "bytes=-3", "bytes=0-0"]) {
        const { response, body } = await ask(port, "GET", { range });
        console.log(`${range}: ${response.statusCode}, ${response.headers["content-range"]}, ${body}`);
    }
    await server.close();
}

main();
END
seen=$(node ranges.js)
echo "$seen"
[ "$seen" = 'bytes=2-4: 206, bytes 2-4/10, 234
bytes=7-: 206, bytes 7-9/10, 789
bytes=-3: 206, bytes 0-3/10, 0123
bytes=0-0: 206, bytes 0-9/10, 0123456789' ] || { echo "this has changed"; exit 1; }
