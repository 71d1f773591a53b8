; The entry of the loop's branch is attached to DEC, which is alone in its group at first and pairs with the branch
; later. The NOP behind the loop then meets that entry, although it is no branch: a flush, and new mispredictions.
; expect cycles = 497
        mov     ecx,100
l:      dec     ecx
        jnz     l
        nop
