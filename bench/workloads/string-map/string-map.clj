(fn []
  (let [m (loop [i 0 m {}]
            (if (< i 200000)
              (recur (inc i) (assoc m (str "key" i) i))
              m))]
    (loop [i 0 sum 0]
      (if (< i 200000)
        (recur (inc i) (+ sum (long (get m (str "key" i)))))
        sum))))
