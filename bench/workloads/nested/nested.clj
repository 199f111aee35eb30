(fn []
  (let [end (loop [i 0 state {:user {:name "Ada" :stats {:count 0 :last 0}} :version 1}]
              (if (< i 200000)
                (recur (inc i)
                       (-> state
                           (update-in [:user :stats :count] inc)
                           (assoc-in [:user :stats :last] i)))
                state))]
    (+ (get-in end [:user :stats :count]) (get-in end [:user :stats :last]))))
