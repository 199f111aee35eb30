(fn []
  (let [v (loop [i 0 v []]
            (if (< i 1000000)
              (recur (inc i) (conj v i))
              v))]
    (loop [i 0 sum 0]
      (if (< i 1000000)
        (recur (inc i) (+ sum (long (nth v i))))
        sum))))
