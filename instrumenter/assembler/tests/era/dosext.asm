; Real mode callback and interrupt reflection, 32-bit flat code with a 16-bit stub, WATCOM C
        .386p
        .model small
;! small | warning: memory model ignored: the program is assembled and run as flat 32-bit code
;!   = write `.model flat`, or `.model small` before `.386` for 16-bit segments
_TEXT16 segment para public use16 'CODE16'
        assume cs:_TEXT16
rm_start label byte
rmvec   dd 0
;= 00000000
pmsel   dw 0
;= 0000
stub    proc far
        push ds
;= 1e
        push ax
;= 50
        mov ax,cs
;= 8cc8
        mov ds,ax
;= 8ed8
        mov ax,word ptr ds:[rmvec-rm_start]
;= a10000
        mov cs:pmsel-rm_start,ax
;= 2ea30400
        mov al,20h
;= b020
        out 20h,al
;= e620
        pop ax
;= 58
        pop ds
;= 1f
        iret
;= cf
stub    endp
rm_end  label byte
rm_len  equ rm_end-rm_start
_TEXT16 ends
_TEXT   segment para public use32 'CODE'
        assume cs:_TEXT,ds:_DATA
        public install_, old_handler
install_ proc near
        pushad
;= 60
        push es
;= 06
        mov ax,ds
;= 668cd8
        mov es,ax
;= 8ec0
        mov eax,0100h
;= b800010000
        mov ebx,(rm_len+15)/16
;= bb02000000
        int 31h
;= cd31
        jc failed
;= 722f
        movzx edi,ax
;= 0fb7f8
        shl edi,4
;= c1e704
        mov esi,offset rm_start
;= be00000000
        mov ecx,rm_len
;= b91a000000
        rep movsb
;= f3a4
        mov eax,dword ptr old_handler
;= 2ea166000000
        mov edx,dword ptr old_handler+4
;= 2e8b156a000000
        lea edx,handler
;= 8d1547000000
        mov ecx,cs
;= 8cc9
        mov bl,9
;= b309
        mov ax,205h
;= 66b80502
        int 31h
;= cd31
failed: pop es
;= 07
        popad
;= 61
        ret
;= c3
install_ endp
handler proc far
        pushfd
;= 9c
        push eax
;= 50
        push ds
;= 1e
        mov ax,seg _DATA
;= 66b81810
        mov ds,ax
;= 8ed8
        in al,60h
;= e460
        mov lastkey,al
;= a20c000000
        mov al,20h
;= b020
        out 20h,al
;= e620
        pop ds
;= 1f
        pop eax
;= 58
        popfd
;= 9d
        jmp fword ptr cs:[old_handler]
;= 2eff2d66000000
        iretd
;= cf
handler endp
old_handler df 0
;= 000000000000
_TEXT   ends
_DATA   segment dword public use32 'DATA'
lastkey db 0
;= 00
regs    struc
r_edi   dd ?
r_eax   dd ?
r_flags dw ?
r_es    dw ?
regs    ends
callregs regs <0,0,0,0>
;= 000000000000000000000000
_DATA   ends
        end
