# disk.sh: checks a disk. Arguments are JSON on standard input: {"disk": N}; the answer is how many blocks were read.
disk=$(tr -cd 0-9)
case $disk in
  7 | 16 | 25) echo "disk $disk does not answer" >&2; exit 1 ;;
esac
echo $((disk * 1000))
