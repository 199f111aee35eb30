;; clojure harness.clj WORKLOAD.clj RUNS WARM_MS: one line of JSON, {"result": …, "ms": […]}, after runs that warm the
;; compiler up. A time is the processor time of the thread that runs the program and what the JVM says about its
;; garbage collections meanwhile, or the clock's, whichever is less.
(import '[java.lang.management ManagementFactory])
(defn spent-ns []
  (+ (.getCurrentThreadCpuTime (ManagementFactory/getThreadMXBean))
     (* 1000000 (reduce + (map (fn [collector] (.getCollectionTime collector))
                               (ManagementFactory/getGarbageCollectorMXBeans))))))
(let [[path runs warm-ms] *command-line-args*
      work (load-file path)
      until (+ (System/currentTimeMillis) (parse-long warm-ms))]
  (while (< (System/currentTimeMillis) until) (work) (spent-ns))
  (let [measured (doall (for [_ (range (parse-long runs))]
                          (do (System/gc)
                              (let [spent (spent-ns)
                                    start (System/nanoTime)
                                    result (work)
                                    clock (- (System/nanoTime) start)]
                                [result (/ (min clock (- (spent-ns) spent)) 1e6)]))))]
    (println (format "{\"result\": %d, \"ms\": [%s]}"
                     (long (first (last measured)))
                     (apply str (interpose ", " (map (fn [[_ ms]] (format "%.4f" ms)) measured)))))
    (shutdown-agents)))
