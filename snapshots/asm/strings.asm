; String instructions forwards and backwards, repeated and single.
; expect stop = return
; expect copied = 6C6C6568h
; expect found_at = 4
; expect equal_length = 3
; expect filled = 2A2A2A2Ah
; expect backwards = 6F6C6C65h
; expect loaded = 104
.586
.model flat
.data
source       db 'hello, world',0
other        db 'help me',0
copied       dd 0
backwards    dd 0,0
filled       dd 0
found_at     dd 0
equal_length dd 0
loaded       dd 0
.code
start:
    cld
    mov esi,offset source
    mov edi,offset copied
    mov ecx,4
    rep movsb
    mov al,'o'
    mov edi,offset source
    mov ecx,12
    repne scasb
    lea eax,[edi-1]
    sub eax,offset source
    mov found_at,eax
    mov esi,offset source
    mov edi,offset other
    mov ecx,7
    repe cmpsb
    lea eax,[esi-1]
    sub eax,offset source
    mov equal_length,eax
    mov eax,2A2A2A2Ah
    mov edi,offset filled
    stosd
    mov esi,offset source
    xor eax,eax
    lodsb
    mov loaded,eax
    std
    mov esi,offset source+4
    mov edi,offset backwards+3
    mov ecx,4
    rep movsb
    cld
    ret
end start
