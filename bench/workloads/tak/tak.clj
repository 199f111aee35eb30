(defn tak ^long [^long x ^long y ^long z]
  (if (< y x)
    (tak (tak (dec x) y z) (tak (dec y) z x) (tak (dec z) x y))
    z))
(fn [] (tak 24 16 8))
