(fn []
  (let [records (mapv (fn [i] {:id i :team (mod i 100) :score (mod (* i 48271) 100003)})
                      (range 100000))
        teams (group-by :team records)
        ranked (sort-by :score records)]
    (+ (reduce + (map (fn [[team members]] (* team (count members))) teams))
       (:id (nth ranked 1000)))))
