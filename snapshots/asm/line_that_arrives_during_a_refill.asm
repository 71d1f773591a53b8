; A call comes back while the line of its target still arrives. It is there before the pipeline is refilled, so that the
; first instruction pairs, as it does when the line arrived long ago.
; with cpu = p55c
; with runs = 1
; expect cycles = 279
        .586
        .model  flat
        .data
x       dd      0
        .code
        align   32
        db      29 dup(90h)
twice:  push    eax
        add     eax,7
        pop     eax
        ret
start:  push    eax
        pop     eax
        call    twice
        rept    8
        nop
        endm
        call    twice
        ret
        end     start
