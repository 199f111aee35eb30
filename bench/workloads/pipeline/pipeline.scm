(lambda ()
  (fold + 0 (map (lambda (x) (* x 2)) (filter even? (iota 1000000)))))
