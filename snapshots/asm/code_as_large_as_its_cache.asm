; Loops of 10 rounds in a code cache of 8 KB. One line less than that stays there. In a loop as large as the cache, the
; line read ahead behind its end evicts its first one, so that lines of one set are read, and decoded, anew in each
; round; not if its page ends with it.
; expect line = a_line_less, lines 18-30: 22479 clocks warm, 27122 cold; measured 22479
; expect line = in_its_page, lines 32-44: 22837 clocks warm, 27467 cold; measured 22837
; expect line = to_the_end_of_its_page, lines 46-58: 22567 clocks warm, 27181 cold; measured 22567
; again
; If lines are read ahead across the end of a page, too.
; with assume = read_ahead=translated
; expect line = a_line_less, lines 18-30: 22463 clocks warm, 27114 cold; measured 22463
; expect line = in_its_page, lines 32-44: 22815 clocks warm, 27463 cold; measured 22815
; expect line = to_the_end_of_its_page, lines 46-58: 22815 clocks warm, 27443 cold; measured 22815
.586
.model flat
.code
start:
    mov ecx,10
    StartTSC a_line_less
    jmp a_line_less
    align 4096
    db 32 dup(90h)
a_line_less:
rept 2038
    add eax,ebx
    add edx,ebx
endm
    nop
    dec ecx
    jnz a_line_less
    EndTSC
    mov ecx,10
    StartTSC in_its_page
    jmp in_its_page
    align 4096
    db 32 dup(90h)
in_its_page:
rept 2046
    add eax,ebx
    add edx,ebx
endm
    nop
    dec ecx
    jnz in_its_page
    EndTSC
    mov ecx,10
    StartTSC to_the_end_of_its_page
    jmp to_the_end_of_its_page
    align 4096
    db 0 dup(90h)
to_the_end_of_its_page:
rept 2046
    add eax,ebx
    add edx,ebx
endm
    nop
    dec ecx
    jnz to_the_end_of_its_page
    EndTSC
    ret
end start
