# In a mount namespace that has just begun: gives up the targets of assay that it was born with. They
# would stay mounted here after they were unmounted where they belong.
give_up_targets() {
    while read -r _ _ _ _ point _; do
        point=$(printf %b "$point")
        if [ -e "${point%/*}/.assay-private" ]; then
            umount -l "$point" || true
        fi
    done </proc/self/mountinfo
}
