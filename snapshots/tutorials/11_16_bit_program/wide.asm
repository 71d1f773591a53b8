; A COM program that adds up 256 words two at a time in 32-bit registers.
; expect stop = exit 0
; expect output = "right"
        .386
code    segment use16
        assume  cs:code, ds:code
        org     100h
start:  mov     si,offset table
        mov     cx,128
        xor     ebx,ebx

        StartTSC sum
next:   mov     eax,[si]
        add     si,4
        add     ebx,eax
        dec     cx
        jnz     next
        EndTSC

; The upper half has the sum of every other word.
        mov     eax,ebx
        shr     eax,16
        add     bx,ax

        mov     dx,offset right
        cmp     bx,256*3
        je      tell
        mov     dx,offset wrong
tell:   mov     ah,9
        int     21h
        int     20h

right   db      'right$'
wrong   db      'wrong$'
        ifdef   EVEN
        even
        else
        align   4
        endif
table   dw      256 dup(3)
code    ends
        end     start
