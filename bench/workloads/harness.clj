;; clojure harness.clj WORKLOAD.clj RUNS WARM_MS: one line of JSON, {"result": …, "ms": […]}, after runs that warm the
;; compiler up. By the clock: the JVM counts its own processor time too coarsely.
(let [[path runs warm-ms] *command-line-args*
      work (load-file path)
      until (+ (System/currentTimeMillis) (parse-long warm-ms))]
  (while (< (System/currentTimeMillis) until) (work))
  (let [measured (doall (for [_ (range (parse-long runs))]
                          (do (System/gc)
                              (let [start (System/nanoTime)
                                    result (work)]
                                [result (/ (- (System/nanoTime) start) 1e6)]))))]
    (println (format "{\"result\": %d, \"ms\": [%s]}"
                     (long (first (last measured)))
                     (apply str (interpose ", " (map (fn [[_ ms]] (format "%.4f" ms)) measured)))))
    (shutdown-agents)))
