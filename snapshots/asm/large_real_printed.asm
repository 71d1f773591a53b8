; A real of 32 bits before its point is printed whole.
; with monitor = perfmon
; expect stop = return
; expect output = "3000000000.000000"
        .586p
        .model flat
        include perfmon.inc
        .data
large   dd 3000000000.0
        .code
start:  mov esi,offset large
        call print_dword_float
        ret
        end start
