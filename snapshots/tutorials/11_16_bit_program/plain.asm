; A COM program that adds up 256 words with simple instructions.
; expect stop = exit 0
; expect output = "right"
code    segment
        assume  cs:code, ds:code
        org     100h
start:  mov     si,offset table
        mov     cx,256
        xor     bx,bx

        StartTSC sum
next:   mov     ax,[si]
        add     si,2
        add     bx,ax
        dec     cx
        jnz     next
        EndTSC

        mov     dx,offset right
        cmp     bx,256*3
        je      tell
        mov     dx,offset wrong
tell:   mov     ah,9
        int     21h
        int     20h

right   db      'right$'
wrong   db      'wrong$'
        even
table   dw      256 dup(3)
code    ends
        end     start
