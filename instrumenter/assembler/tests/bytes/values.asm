; What MASM takes as a number rather than as memory.
        .386
        .model  flat
        .code
start:  mov     eax, start
;= b800104000
        mov     eax, offset start
;= b800104000
        mov     eax, start+4
;= b804104000
        push    start
;= 6800104000
        cmp     eax, start
;= 3d00104000
        lea     eax, start
;= 8d0500104000
        mov     eax, dword ptr start
;= a100104000
        mov     eax, [start]
;= a100104000
        mov     eax, start[ebx]
;= 8b8300104000
        mov     eax, later
;= b876104000
        mov     ebx, later[ecx*4]
;= 8b1c8d76104000
        mov     eax, [1234h]
;= b834120000
;! [1234h | warning: brackets around a number make no memory operand: this is the number
;!   = write `ds:` before the bracket to access memory
        mov     eax, ds:[1234h]
;= a134120000
        mov     eax, dword ptr [1234h]
;= b834120000
;! dword ptr [1234h | warning: brackets around a number make no memory operand: this is the number
;!   = write `ds:` before the bracket to access memory
        mov     eax, ds:1234h
;= a134120000
        mov     eax, fs:[0]
;= 64a100000000
        mov     eax, [4][ebx]
;= 8b4304
        db      type eax, type ax, type al, type dword, type 5
;= 0402010400
        dw      type start, type later
;= 04ff04ff
        dw      seg start, seg value, _DATA
;= 080010001000
        mov     ax, seg value
;= 66b81000
        mov     ax, _DATA
;= 66b81000
        jmp     far ptr start
;= ea001040000800
later:  ret
;= c3
        .data
value   dd      5
;= 05000000
        db      sizeof value, type value
;= 0404
        end     start
;---
; The base and the index: the last register of a sum is the base, the first one in brackets of their own.
        .386
        .model  flat
        .code
start:  mov     eax, [ebp+eax]
;= 8b0428
        mov     eax, [eax+ebp]
;= 8b440500
        mov     eax, [ebp][eax]
;= 8b440500
        mov     eax, [eax][ebp]
;= 8b0428
        mov     eax, [esp+eax]
;= 8b0404
        mov     eax, [eax+esp]
;= 8b0404
        mov     eax, [ebp+eax*2]
;= 8b444500
        mov     eax, [ebx+ecx+4]
;= 8b441904
        mov     al, start[ebx+esi]
;= 8a841e00104000
        end     start
;---
        .model  small
        .code
start   label   near
        dw      type start
;= 02ff
        dw      type other
;= 05ff
        mov     ax, start
;= b80000
        mov     ax, type dx
;= b80200
other   proc    far
        ret
;= cb
other   endp
        end
;---
; Numbers with a sign of their own.
        .386
        .model  flat
        .code
start:  and     ch, not 0FDh
;= 80e502
        and     al, not 128
;= 247f
        mov     bl, not 7Fh
;= b380
        and     dx, not 8000h
;= 6681e2ff7f
        db      not 128, not 1
;= 7ffe
        mov     al, -256
;! -256 | -256 does not fit in 8 bits
        end     start
