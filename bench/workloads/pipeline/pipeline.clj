(fn []
  (->> (range 1000000)
       (filter even?)
       (map (fn [x] (* x 2)))
       (reduce +)))
