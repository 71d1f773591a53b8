; Times both ways to count the words of a text.
; expect words_plain = 705
; expect words_tuned = 705
        .586
        .model flat
        .data
        include ones.inc
        include text.inc
words_plain dd 0
words_tuned dd 0
        .code
start:
        StartTSC plain
        call plain
        EndTSC
        mov words_plain,eax

        StartTSC tuned
        call tuned
        EndTSC
        mov words_tuned,eax
        ret
        include plain.inc
        include tuned.inc
        end start
