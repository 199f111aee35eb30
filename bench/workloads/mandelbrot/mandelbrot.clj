(defn iterations ^long [^double cx ^double cy]
  (loop [x 0.0 y 0.0 n 0]
    (let [x2 (* x x)
          y2 (* y y)]
      (if (and (< n 50) (<= (+ x2 y2) 4.0))
        (recur (+ (- x2 y2) cx) (+ (* 2.0 x y) cy) (inc n))
        n))))
(fn []
  (loop [row 0 column 0 total 0]
    (cond
      (= row 360) total
      (= column 360) (recur (inc row) 0 total)
      :else (recur row
                   (inc column)
                   (+ total (iterations (- (* column 0.0075) 2.0) (- (* row 0.0075) 1.35)))))))
