; A small protected mode kernel: raw entry, GDT, and 32-bit code beside 16-bit code.
        .386p
        jumps
        locals

code16  segment para public use16
code16  ends
code32  segment para public use32
code32  ends
codeend segment para stack use16 'stack'
        db      200h dup (?)
;= 512 bytes, 86c16dc5
codeend ends

selcode16 equ   8
seldata   equ   10h
selcode32 equ   18h
selzero   equ   20h

desc    struc
limit   dw      0
base0   dw      0
base1   db      0
access  db      0
flags   db      0
base2   db      0
desc    ends

code16  segment para public use16
        assume  cs:code16, ds:code16

gdt     desc    <>
;= 0000000000000000
d_code16 desc   <0ffffh,,,9ah>
;= ffff0000009a0000
d_data  desc    <0ffffh,,,92h>
;= ffff000000920000
d_code32 desc   <0ffffh,,,9ah,0cfh>
;= ffff0000009acf00
d_zero  desc    <0ffffh,0,0,92h,0cfh,0>
;= ffff00000092cf00
gdtend  label   byte
gdtr    dw      gdtend-gdt-1
;= 2700
        dd      ?
;= 00000000
realss  dw      ?
;= 0000
realsp  dw      ?
;= 0000
msg0    db      'This processor has no protected mode.',13,10,36
;= 546869732070726f636573736f7220686173206e6f2070726f746563746564206d6f64652e0d0a24

@rlp    macro   reg, loc
        mov     reg, loc
        shl     reg, 4
        endm

start16:
        cli
;= fa
        push    cs
;= 0e
        pop     ds
;= 1f
        mov     ax,7202h
;= b80272
        push    ax
;= 50
        popf
;= 9d
        pushf
;= 9c
        pop     bx
;= 5b
        cmp     ax,bx
;= 3bc3
        jne     short exit
;= 7568
        mov     realss,ss
;= 8c162e00
        mov     realsp,sp
;= 89263000
        movzx   eax,word ptr ds:[realss]
;= 660fb7062e00
        mov     ebx,cs
;= 668ccb
        shl     ebx,4
;= 66c1e304
        mov     d_code16.base0,bx
;= 891e0a00
        mov     d_data.base0,bx
;= 891e1200
        ror     ebx,16
;= 66c1cb10
        mov     d_code16.base1,bl
;= 881e0c00
        mov     d_data.base1,bl
;= 881e1400
        rol     ebx,16
;= 66c1c310
        lea     eax,[ebx+offset gdt]
;= 67668d8300000000
        mov     dword ptr gdtr[2],eax
;= 66a32a00
        xor     eax,eax
;= 6633c0
        mov     ax,code32
;= b82110
        shl     eax,4
;= 66c1e004
        mov     d_code32.base0,ax
;= a31a00
        shr     eax,16
;= 66c1e810
        mov     [d_code32+4].limit,0CF9Ah
;= c7061c009acf
        mov     d_code32.base1,al
;= a21c00
        lgdt    fword ptr [gdtr]
;= 0f01162800
        mov     eax,cr0
;= 0f20c0
        or      al,1
;= 0c01
        mov     cr0,eax
;= 0f22c0
        db      66h,0eah
;= 66ea
        dd      offset start32
;= 00000000
        dw      selcode32
;= 1800
exit:   mov     ah,9
;= b409
        mov     dx,offset msg0
;= ba3200
        int     21h
;= cd21
        mov     ax,4cffh
;= b8ff4c
        int     21h
;= cd21

pmint   proc    far
        pushad
;= 6660
        push    ds es
;= 1e06
        mov     ax,seldata
;= b81000
        mov     ds,ax
;= 8ed8
        mov     al,20h
;= b020
        out     20h,al
;= e620
        pop     es ds
;= 071f
        popad
;= 6661
        iretd
;= 66cf
pmint   endp
backtoreal:
        mov     eax,cr0
;= 0f20c0
        and     al,0feh
;= 24fe
        mov     cr0,eax
;= 0f22c0
        db      0eah
;= ea
        dw      $+4,code16
;= fc001010
        mov     ax,cs:realss
;= 2ea12e00
        mov     ss,ax
;= 8ed0
        mov     sp,cs:realsp
;= 2e8b263000
        jmp     exit
;= ebc7
code16  ends

code32  segment para public use32
        assume  cs:code32, ds:code32
start32:
        mov     ax,selzero
;= 66b82000
        mov     ds,eax
;= 8ed8
        mov     es,ax
;= 8ec0
        mov     edi,0b8000h
;= bf00800b00
        mov     ecx,80*25/2
;= b9e8030000
        mov     eax,07200720h
;= b820072007
        cld
;= fc
        rep     stosd
;= f3ab
        call    @@sub
;= e814000000
        mov     eax,dword ptr ds:[46ch]
;= a16c040000
@@wait: cmp     eax,ds:[46ch]
;= 3b056c040000
        je      @@wait
;= 74f8
        db      0eah
;= ea
        dd      offset backtoreal
;= ef000000
        dw      selcode16
;= 0800
@@sub:  ret
;= c3
code32  ends
        end     start16
