; Counts the words of a text.
; expect words = 705
        .586
        .model flat
        .data
        include ones.inc
        include text.inc
words   dd 0
        .code
start:
IFDEF ONE_PIPE
        mov ecx,0Eh             ; test register 12
        mov eax,4               ; bit 2: single pipe
        xor edx,edx
        wrmsr
ENDIF
        call plain
        mov words,eax
        ret
        include plain.inc
        end start
