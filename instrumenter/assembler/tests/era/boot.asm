; Boot sector, TASM or MASM
.386p
code    segment use16
        assume  cs:code, ds:code
        org     7c00h
start:  jmp     short begin
;= eb2a
        nop
;= 90
oem     db      'MYLOADER'
;= 4d594c4f41444552
bps     dw      512
;= 0002
spc     db      1
;= 01
        db      30 dup (0)
;= 000000000000000000000000000000000000000000000000000000000000
begin:  cli
;= fa
        xor     ax,ax
;= 33c0
        mov     ss,ax
;= 8ed0
        mov     sp,7c00h
;= bc007c
        mov     ds,ax
;= 8ed8
        mov     es,ax
;= 8ec0
        sti
;= fb
        mov     si,offset msg
;= be8b7c
        call    print
;= e82a00
        mov     bx,8000h
;= bb0080
        mov     ax,0201h
;= b80102
        mov     cx,0002h
;= b90200
        xor     dx,dx
;= 33d2
        int     13h
;= cd13
        jc      fail
;= 7213
        cli
;= fa
        lgdt    fword ptr gdtr
;= 0f0116b87c
        mov     eax,cr0
;= 0f20c0
        or      al,1
;= 0c01
        mov     cr0,eax
;= 0f22c0
        db      0eah
;= ea
        dw      offset pm, 8
;= 787c0800
fail:   mov     si,offset errmsg
;= be957c
        call    print
;= e80200
        int     19h
;= cd19
print   proc
        lodsb
;= ac
        or      al,al
;= 0ac0
        jz      @f
;= 7409
        mov     ah,0eh
;= b40e
        mov     bx,7
;= bb0700
        int     10h
;= cd10
        jmp     print
;= ebf2
@@:     ret
;= c3
print   endp
pm:     mov     ax,10h
;= b81000
        mov     ds,ax
;= 8ed8
        mov     dword ptr ds:[0b8000h],07410741h
;= 6766c70500800b0041074107
        jmp     $
;= ebfe
msg     db      'Loading',13,10,0
;= 4c6f6164696e670d0a00
errmsg  db      'Disk error',0
;= 4469736b206572726f7200
        align   4
gdt     dq      0
;= 0000000000000000
        dw      0ffffh,0,9a00h,0
;= ffff0000009a0000
        dw      0ffffh,0,9200h,0cfh
;= ffff00000092cf00
gdtlen  equ     $-gdt
gdtr    dw      gdtlen-1
;= 1700
        dd      gdt
;= a07c1010
        org     7c00h+510
        dw      0aa55h
;= 55aa
code    ends
        end     start
