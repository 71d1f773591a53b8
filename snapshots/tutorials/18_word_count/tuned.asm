; Counts the words of a text, two instructions in each clock.
; expect words = 705
        .586
        .model flat
        .data
        include ones.inc
        include text.inc
words   dd 0
        .code
start:
        call tuned
        mov words,eax
        ret
        include tuned.inc
        end start
