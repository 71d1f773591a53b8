.586
.model flat
.data?
align 32
spr     db 320 dup (?)
buf     db 320 dup (?)
.code
start:
        mov     ecx,640/4
        mov     edi,offset spr
        mov     eax,0C0804020h
        rep     stosd
        mov     eax,dword ptr buf
        mov     esi,offset spr
        mov     edi,offset buf
        mov     ebp,160
again:  mov     al,[esi]
        mov     bl,[edi]
        mov     cl,[esi+1]
        mov     dl,[edi+1]
        add     al,bl
        lea     esi,[esi+2]
        sbb     bl,bl
        add     cl,dl
        sbb     dl,dl
        or      al,bl
        or      cl,dl
        mov     [edi],al
        mov     [edi+1],cl
        add     edi,2
        dec     ebp
        jnz     again
        ret
end start
