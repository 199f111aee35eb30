(defn strike [flags ^long prime]
  (loop [j (* prime prime) flags flags]
    (if (<= j 200000)
      (recur (+ j prime) (assoc flags j false))
      flags)))
(fn []
  (loop [i 2 flags (vec (repeat 200001 true))]
    (cond
      (> (* i i) 200000) (count (filter identity (drop 2 flags)))
      (nth flags i) (recur (inc i) (strike flags i))
      :else (recur (inc i) flags))))
