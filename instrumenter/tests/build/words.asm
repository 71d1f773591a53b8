; Parts of 32-bit offsets that a linker computes: lower words, and bytes in wider fields.
        .386
flat    segment use32 public 'code'
        assume cs:flat
start:  mov bx,lowword offset table
        mov eax,lowword (offset start + 2)
        mov cx,low offset elsewhere
        ret
        extrn elsewhere:byte
table   dw lowword offset start,lowword (offset table + 4)
        dw high offset table
        dd lowword offset elsewhere
flat    ends
        end start
