;; guile harness.scm WORKLOAD.scm RUNS: one line of JSON, {"result": …, "ms": […]}, in processor time. The workload is
;; compiled as one body.
(use-modules (srfi srfi-1) (srfi srfi-9) (system base compile) (ice-9 format))
(define (forms path)
  (call-with-input-file path
    (lambda (port)
      (let loop ((out '()))
        (let ((form (read port)))
          (if (eof-object? form) (reverse out) (loop (cons form out))))))))
(define work (compile `(let () ,@(forms (cadr (command-line)))) #:env (current-module)))
(define runs (string->number (caddr (command-line))))
(define result #f)
(define times
  (map (lambda (_)
         (gc)
         (let ((start (get-internal-run-time)))
           (set! result (work))
           (* 1000.0 (/ (- (get-internal-run-time) start) internal-time-units-per-second))))
       (iota runs)))
(format #t "{\"result\": ~d, \"ms\": [~{~,4f~^, ~}]}\n" result times)
