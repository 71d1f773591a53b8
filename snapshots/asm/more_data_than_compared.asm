; Of more data than is compared with what was loaded, the report says how much it does not know.
; with runs = 1
; expect line = 222792 bytes of 2 data symbols beyond the first 16777216 were not checked for changes
; expect stop = return
; expect line = first = 1, was 0
        .586
        .model  flat
        .data?
first   dd      ?
bulk    db      17000000 dup(?)
last    dd      ?
        .code
start:
        mov     first,1
        mov     last,1
        ret
        end     start
