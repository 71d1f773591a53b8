; The order of prefixes: LOCK or REP, the sizes of the address and of the operand, the segment.
        .386
code    segment use16
        assume  cs:code
        mov     es:[di], eax
;= 66268905
        mov     eax, gs:[ebx]
;= 6766658b03
        rep     movs byte ptr es:[di], cs:[si]
;= f32ea4
        rep     movs dword ptr es:[di], dword ptr fs:[si]
;= f36664a5
        rep     movs byte ptr es:[edi], byte ptr gs:[esi]
;= f36765a4
        lock    add dword ptr fs:[ebx], eax
;= f06766640103
        fstcw   word ptr es:[bx]
;= 9b26d93f
; One that the source writes as a prefix has.
        segds   lodsb
;= 3eac
        seges   rep movsb
;= 26f3a4
code    ends
        end
