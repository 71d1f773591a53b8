convert:
        lodsb
        xlatb
        stosb
        loop    convert
;; setup
        mov     esi,offset source
        mov     edi,offset target
        mov     ebx,offset table
        mov     ecx,1000
;; data
source  db 2048 dup(1)
        dd 8 dup(0)
target  db 2048 dup(1)
        dd 8 dup(0)
table   db 256 dup(1)
