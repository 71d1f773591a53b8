; rows of 20 dwords
row:    mov     edx,20
column: add     eax,[esi]
        add     esi,4
        dec     edx
        jnz     column
        dec     ecx
        jnz     row
;; setup
        mov     esi,offset matrix
        mov     ecx,10
;; data
matrix  dd 1024 dup(1)
