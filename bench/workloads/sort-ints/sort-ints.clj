(defn random ^long [^long x] (mod (* x 16807) 2147483647))
(fn []
  (let [v (loop [i 0 x 42 v []]
            (if (< i 500000)
              (recur (inc i) (random x) (conj v x))
              v))]
    (nth (sort v) 1000)))
