search: mov     al,[esi]
        inc     esi
        cmp     al,ah
        je      found
        add     edx,eax
        jmp     search
;; setup
        mov     esi,offset text
;; data
text    db 1000 dup(1)
        dd 0
;; after
found:  ret
