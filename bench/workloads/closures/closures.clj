(defn adder [n] (fn [x] (+ x n)))
(defn scaler [n] (fn [x] (* x n)))
(fn []
  (let [f (comp (adder 3) (scaler 2))]
    (loop [i 0 sum 0]
      (if (< i 1000000)
        (recur (inc i) (+ sum (long (f i))))
        sum))))
