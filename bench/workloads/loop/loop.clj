(fn []
  (loop [i 0 sum 0]
    (if (< i 10000000)
      (recur (inc i) (+ sum i))
      sum)))
