; PMODE/W-like kernel source pieces
        .386p
        LOCALS
_TEXT16 segment para public use16 'CODE'
assume cs:_TEXT16, ds:_TEXT16
        jmp     @@start
;= eb2a
v86_ax  equ     dword ptr [ebp-4]
p8259   db      20h,0a1h
;= 20a1
ifdef DPMI
        db      1
else
        dd      offset @@start
;= 2c000000
endif
cvtab   dw      3 dup (@@c1), @@c2, 2 dup (@@c1)
;= 410041004100560041004100
gdttab  dw      0,0,0,0
;= 0000000000000000
        dw      -1,0,9a00h,0cfh
;= ffff0000009acf00
        db      0ffh,0ffh,0,0,0,10010010b,11001111b,0
;= ffff00000092cf00
gdtlen  = ($-gdttab)-1
@@start: mov    eax,cr0
;= 0f20c0
        test    al,1
;= a801
        jnz     @@err
;= 755c
        mov     sp,offset stk+512
;= bca002
        smsw    ax
;= 0f01e0
        lea     bx,cvtab
;= 8d1e0800
        jmp     cvtab[bx]
;= ffa70800
@@c1:   mov     dword ptr es:[edi*8+4],00008e00h
;= 676626c704fd04000000008e0000
        mov     word ptr es:[di],offset @@c2
;= 26c7055600
        db      66h
;= 66
        retf
;= cb
@@c2:   push    dword ptr ss:[esp+4]
;= 6766ff742404
        pushw   [bp+2]
;= ff7602
        push    word ptr 5
;= 680500
        call    dword ptr cs:[bx]
;= 2eff1f
        jmp     pword ptr es:[di]
;= 6626ff2d
        jmp     fword ptr cs:[pm]
;= 662eff2e9a00
        lgdt    fword ptr cs:[gdtr_]
;= 2e0f01169400
        db      0eah
;= ea
        dd      offset start32
;= 00000000
        dw      8
;= 0800
        movzx   eax,word ptr [esp]
;= 67660fb70424
        add     sp,4
;= 83c404
        mov     ax,word ptr ds:[0+2]
;= a10200
        in      eax,dx
;= 66ed
        rep     insd
;= f3666d
        o32     equ 66h
        db      o32
;= 66
        iret
;= cf
@@err:  int     20h
;= cd20
        align   4
;= 909090
gdtr_   dw      gdtlen
;= 1700
        dd      gdttab
;= 14001010
pm      dd      start32
;= 00000000
        dw      8
;= 0800
stk     db      512 dup (?)
;= 512 bytes, 86c16dc5
_TEXT16 ends
_TEXT32 segment para public use32 'CODE'
assume cs:_TEXT32
start32: mov    ax,10h
;= 66b81000
        mov     ds,eax
;= 8ed8
        movzx   esp,sp
;= 0fb7e4
        push    es
;= 06
        push    word ptr [eax]
;= 66ff30
        jmp     short @@1
;= eb01
        align   16
;= 90
@@1:    mov     edx,cs:tab32[eax*4]
;= 2e8b14854b000000
        call    cs:tab32[eax*4]
;= 2eff14854b000000
        call    tab32[ebx]
;= 2eff934b000000
        mov     ecx,offset tab32
;= b94b000000
        mov     gs:[0b8000h],ax
;= 6665a300800b00
        mov     word ptr gs:[0b8002h],1f41h
;= 6665c70502800b00411f
        loopw   @@1
;= 67e2d0
        a16     = 67h
        db      a16
;= 67
        loop    @@1
;= e2cd
        jmp     far ptr @@1
;= ea100000003a10
        retfd
;= cb
tab32   dd      start32,@@1
;= 0000000010000000
_TEXT32 ends
        end
