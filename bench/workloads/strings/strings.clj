(require '[clojure.string :as string])
(fn []
  (let [items (map (fn [i] (str "item" i)) (range 100000))
        text (string/join "," items)
        parts (string/split text #",")
        lines (map (fn [part] (str part "!")) parts)]
    (+ (count lines) (count (string/join "\n" lines)))))
