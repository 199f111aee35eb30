(defn fib ^long [^long n]
  (if (< n 2)
    n
    (+ (fib (- n 1)) (fib (- n 2)))))
(fn [] (fib 30))
