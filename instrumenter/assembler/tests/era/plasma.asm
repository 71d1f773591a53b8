;PLASMA - flat real / unreal mode, one segment, built with "tasm /m plasma" and "tlink /t"
code segment para public use16
assume cs:code,ds:code
.386p
org 100h
main:
        cli
;= fa
        lgdt fword ptr gdt_ptr
;= 0f01168b01
        mov eax,cr0
;= 0f20c0
        inc ax
;= 40
        mov cr0,eax
;= 0f22c0
        mov bx,8
;= bb0800
        mov fs,bx
;= 8ee3
        dec ax
;= 48
        mov cr0,eax
;= 0f22c0
        sti
;= fb
        mov ax,4f02h
;= b8024f
        mov bx,101h
;= bb0101
        int 10h
;= cd10
        mov edi,0e0000000h
;= 66bf000000e0
t1      = 0
        rept 4
        mov cx,word ptr ds:[sintab+t1*2]
        add word ptr [phase+t1*2],t1+1
t1      = t1+1
        endm
;= 8b0ea9018306a101018b0eab018306a301028b0ead018306a501038b0eaf018306a70104
        xor ebx,ebx
;= 6633db
yl:     xor eax,eax
;= 6633c0
xl:     mov dl,byte ptr sintab[eax]
;= 678a90a9010000
        add dl,byte ptr sintab[ebx]
;= 670293a9010000
        add dl,byte ptr [phase]
;= 0216a101
        mov fs:[edi],dl
;= 67648817
        mov gs:byte ptr [edi+1],0
;= 6765c6470100
        inc edi
;= 6647
        inc ax
;= 40
        cmp ax,320
;= 3d4001
        jb xl
;= 72dc
        inc bx
;= 43
        cmp bx,200
;= 81fbc800
        jb yl
;= 72d2
        db 67h
;= 67
        movsb
;= a4
        in al,60h
;= e460
        dec al
;= fec8
        jnz main
;= 0f857cff
        mov ax,3
;= b80300
        int 10h
;= cd10
        int 20h
;= cd20
gdt_ptr dw 15
;= 0f00
        dd offset gdt
;= 91010000
gdt     dd 0,0
;= 0000000000000000
        dw 0ffffh,0
;= ffff0000
        db 0,92h,0cfh,0
;= 0092cf00
phase   dw 4 dup (0)
;= 0000000000000000
sintab  label word
        db 256 dup (?)
;= 256 bytes, 214f05c5
        include_end equ $
code ends
end main
