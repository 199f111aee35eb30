# bank.sh WHAT: the bank. Arguments are JSON on standard input, the answer is JSON on standard output.
cat > /dev/null
case $1 in
  balance) echo '{"cents": 1250000}' ;;
  transfer) echo '"receipt-4711"' ;;
esac
