;; Runs programs in Clojure and compares what comes out with what ptcvm said. One JVM for all of them.
;;
;; A line of standard input is a vector of EDN, a line of standard output the answer to it as JSON:
;;
;;   ["id" "source" "ok" "value" ["print" …] "{:name value …}"]      status, value, prints and definitions of ptcvm
;;   ["id", "same"] or ["id", "value", "ours", "theirs"]      what differs: value, prints, definitions, or failure
;;
;; Values are compared as data: maps and sets without order, any sequence as a vector, integers by value whatever their
;; size, floats bit by bit except that NaN equals NaN, and never an integer with a float. Where both fail, that is the
;; same: the kinds of failures are not compared.
(require '[clojure.edn :as edn] '[clojure.set] '[clojure.string :as string] '[clojure.walk])

(declare same?)

;; Each in one has an equal in the other: keys are data without floats that differ in the last bit.
(defn same-maps? [a b]
  (and (= (count a) (count b))
       (every? (fn [[k v]] (and (contains? b k) (same? v (get b k)))) a)))

(defn same? [a b]
  (cond
    (and (float? a) (float? b)) (= (Double/doubleToLongBits (double a)) (Double/doubleToLongBits (double b)))
    (and (integer? a) (integer? b)) (== a b)
    (and (map? a) (map? b)) (same-maps? a b)
    (and (set? a) (set? b)) (= a b)
    (and (sequential? a) (sequential? b)) (and (= (count a) (count b)) (every? true? (map same? a b)))
    (or (coll? a) (coll? b)) false
    :else (= a b)))

(defn read-ours [text] (edn/read-string {:default (fn [tag _] {::tag tag})} text))

(defn forms-of [source]
  (let [reader (clojure.lang.LineNumberingPushbackReader. (java.io.StringReader. source))]
    (take-while #(not= % ::end) (repeatedly #(read {:eof ::end} reader)))))

;; The value of the last form, the lines that were printed, and the data that was defined.
(defn run-program [source]
  (let [name (gensym "program")
        out (java.io.StringWriter.)]
    (try
      (binding [*ns* (create-ns name), *out* out]
        (refer 'clojure.core)
        (let [value (reduce (fn [_ form] (eval form)) nil (forms-of source))
              value (clojure.walk/postwalk identity value)]
          {:value value
           :prints (let [text (str out)] (if (= text "") [] (string/split (subs text 0 (dec (count text))) #"\n" -1)))
           :definitions (into {} (for [[k v] (ns-interns name), :let [x (deref v)], :when (not (fn? x))]
                                   [(keyword k) x]))}))
      (catch Throwable e
        {:failure (let [root (loop [e e] (if-let [cause (.getCause ^Throwable e)] (recur cause) e))]
                    (str (.getName (class root)) ": " (.getMessage ^Throwable root)))})
      (finally (remove-ns name)))))

(defn difference [status ours prints definitions theirs]
  (let [failed (not= status "ok")
        defined (into {} (remove #(contains? (if (map? (val %)) (val %) {}) ::tag) (read-ours definitions)))]
    (cond
      (and failed (:failure theirs)) nil
      (:failure theirs) ["failure" ours (:failure theirs)]
      failed ["failure" (str status ": " ours) (pr-str (:value theirs))]
      (not (same? (read-ours ours) (:value theirs))) ["value" ours (pr-str (:value theirs))]
      (not= prints (:prints theirs)) ["prints" (pr-str prints) (pr-str (:prints theirs))]
      (not (same? defined (:definitions theirs))) ["definitions" (pr-str defined) (pr-str (:definitions theirs))])))

;; Strings of EDN are strings of JSON, but for the commas between them.
(defn as-json [strings] (str "[" (string/join ", " (map pr-str strings)) "]"))

(let [answers (java.io.PrintWriter. (java.io.OutputStreamWriter. System/out "UTF-8"))]
  (doseq [line (line-seq (java.io.BufferedReader. (java.io.InputStreamReader. System/in "UTF-8")))]
    (let [[id source status value prints definitions] (edn/read-string line)
          found (difference status value prints definitions (run-program source))]
      (.println answers (as-json (into [id] (or found ["same"]))))
      (.flush answers))))
(shutdown-agents)
