# bcache.sh: $1 is what to do with the bcache whose backing disk is $2.
set -e
number=$(stat -L -c '0x%t 0x%T' "$2")
bcache=/sys/dev/block/$((${number% *})):$((${number#* }))/bcache

# Waits until "$@" holds, at most 30 s.
await() {
    tries=0
    until "$@"; do
        [ "$((tries += 1))" -le 1500 ] || {
            said=$(dmesg | sed -n 's/.*bcache: //p' | tail -n 2 | paste -s -d ' ' -)
            echo "no $what in 30 s; the kernel says: $said" >&2
            exit 1
        }
        sleep 0.02
    done
}

# The kernel may hold a disk for a moment after it gave it back, and udev may have been here before;
# neither is an error where it is asked to be quiet.
runs_with() {
    echo "$1" >/sys/fs/bcache/register_quiet
    echo "$2" >/sys/fs/bcache/register_quiet
    [ -e "$bcache/dev" ] && [ -e "$bcache/cache" ]
}

in_state() {
    [ "$(cat "$bcache/state")" = "$1" ]
}

is_detached() {
    [ ! -e "$bcache/cache" ]
}

# Backing disk, cache disk, our name, a link for the disk that is offered, what the cache holds, and
# settings as KEY=VALUE.
up() {
    what="disk with a cache" await runs_with "$2" "$1"
    echo "$3" >"$bcache/label"
    ln -s -f -n "/dev/$(basename "$(readlink "$bcache/dev")")" "$4"
    holds=$5
    shift 5
    for setting; do
        echo "${setting#*=}" >"$bcache/${setting%%=*}"
    done
    [ "$holds" != empty ] || forget
}

# Empties the cache: attached again, the disk is a new one to it. What is left to write back is written
# back first, however long that takes.
forget() {
    set=$(basename "$(readlink "$bcache/cache")")
    echo 1 >"$bcache/detach"
    while in_state dirty; do
        sleep 0.02
    done
    what="detached cache" await is_detached
    echo "$set" >"$bcache/attach"
}

# Writes back all that only the cache holds, at full speed. Also done before it is stopped: brought up
# dirty, the driver would look for the rest of it only after the 30 s that it begins with.
clean() {
    in_state dirty || return 0
    percent=$(cat "$bcache/writeback_percent")
    echo 0 >"$bcache/writeback_percent"
    while in_state dirty; do
        sleep 0.02
    done
    echo "$percent" >"$bcache/writeback_percent"
}

show() {
    for key in state cache_mode sequential_cutoff writeback_percent; do
        echo "$key: $(cat "$bcache/$key")"
    done
    echo "bucket: $(cat "$bcache/cache/bucket_size")"
}

act=$1
shift
"$act" "$@"
