# A kernel NFS server of its own for directory $1, in the network and mount namespaces of this shell.
# $2 is a private directory, $3 the export options, $4 a version not to be served, $5 the threads.
set -e
cd "$2"
trap 'rpc.nfsd 0; rm ready; kill $daemons; wait $daemons; exit 0' TERM
ip link set lo up
mount --bind "$1" /mnt
give_up_targets
mount -t tmpfs run /run
mkdir -p /run/nfs/rpc_pipefs /run/nfs/nfsdcld
touch /run/nfs/etab /run/nfs/rmtab
mount --bind /run/nfs /var/lib/nfs
mount -t rpc_pipefs pipefs /run/nfs/rpc_pipefs
mount -t nfsd nfsd /proc/fs/nfsd
rpcbind -f -w &
daemons=$!
until [ -S /run/rpcbind.sock ]; do sleep 0.02; done
# Without it the server waits 90 s for clients of old before anybody may open a file.
nfsdcld --foreground --pipefs /run/nfs/rpc_pipefs --storagedir /run/nfs/nfsdcld &
daemons="$daemons $!"
until grep -qs ^inotify /proc/$!/fdinfo/*; do sleep 0.02; done
exportfs -o "$3" 127.0.0.1:/mnt
rpc.mountd --foreground &
daemons="$daemons $!"
rpc.nfsd --no-nfs-version "$4" "$5"
touch ready
wait
