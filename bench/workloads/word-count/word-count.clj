(require '[clojure.string :as string])
(defn random ^long [^long x] (mod (* x 16807) 2147483647))
(fn []
  (let [vocabulary (mapv (fn [i] (str "word" i)) (range 5000))
        words (loop [i 0 x 42 words []]
                (if (< i 200000)
                  (recur (inc i) (random x) (conj words (nth vocabulary (mod x 5000))))
                  words))
        text (string/join " " words)
        counts (frequencies (string/split text #" "))]
    (+ (* 1000 (count counts)) (reduce max (vals counts)))))
