; What games wait for: the beginning of a vertical retrace, a key by the BIOS, by DOS and from the keyboard's port. Esc
; has been pressed, and each read of port 3DAh begins or ends a retrace.
; expect stop = exit 0
; expect found = 283
; expect read = 283
; expect typed = 27
; expect ready = 255
; expect scanned = 1
; expect retraces = 2313
.model tiny
.386
.code
org 100h
start:  mov dx,3DAh
        in al,dx
        mov byte ptr retraces,al
        in al,dx
        or al,al
        jnz start
        in al,dx
        and al,9
        mov byte ptr retraces+1,al
before: in al,dx
        test al,8
        jnz before
wait_:  in al,dx
        test al,8
        jz wait_
        mov ah,1
        int 16h
        jz wait_
        mov found,ax
        mov ah,0
        int 16h
        mov read,ax
        mov ax,0800h
        int 21h
        mov typed,al
        mov ah,0Bh
        int 21h
        mov ready,al
        in al,60h
        mov scanned,al
        mov ax,4C00h
        int 21h
found   dw 0
read    dw 0
retraces dw 0
typed   db 0
ready   db 0
scanned db 0
end start
