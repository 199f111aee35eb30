(defn random ^long [^long x] (mod (* x 16807) 2147483647))
(fn []
  (let [v (loop [i 0 x 42 v []]
            (if (< i 500000)
              (recur (inc i) (random x) (conj v (/ x 2147483647.0)))
              v))
        sorted (sort (fn [a b] (> a b)) v)]
    (long (* 1000000 (nth sorted 1000)))))
