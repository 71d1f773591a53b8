; mremap keeps what a program may do with its pages, where they grow and where they move: a store to a page that may
; only be read is a fault, and its bytes are those of before.
; expect stop = fault 14 line 51
; expect kept = 66
; expect grown = 1610612736
; expect moved = 1
.586
.model flat
.data
kept        dd 0
grown       dd 0
moved       dd 0
.code
map_at      macro   place, length, bits
            mov     eax,192
            mov     ebx,place
            mov     ecx,length
            mov     edx,bits
            mov     esi,32h
            mov     edi,-1
            xor     ebp,ebp
            int     80h
            endm
start:      map_at  60000000h, 1000h, 3
            mov     byte ptr ds:[60000010h],42h
; mprotect: it may only be read from here on.
            mov     eax,125
            mov     ebx,60000000h
            mov     ecx,1000h
            mov     edx,1
            int     80h
            mov     eax,163
            mov     ecx,1000h
            mov     edx,2000h
            mov     esi,1
            int     80h
            mov     grown,eax
; Another mapping is in the way, so that it has to move.
            map_at  60002000h, 1000h, 3
            mov     eax,163
            mov     ebx,60000000h
            mov     ecx,2000h
            mov     edx,3000h
            mov     esi,1
            int     80h
            mov     edi,eax
            cmp     edi,60000000h
            setne   byte ptr moved
            movzx   eax,byte ptr [edi+10h]
            mov     kept,eax
            mov     byte ptr [edi+2000h],1
            ret
            end     start
