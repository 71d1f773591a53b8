; INT n pushes its frame over the handler's own instruction, which has run before: the new bytes are executed.
; expect stop = exit 1
.386
code    segment use16
        assume  cs:code, ds:code
        org     100h
start:  mov     ax,2560h
        mov     dx,offset handler
        int     21h
        xor     ebx,ebx
        int     60h                     ; runs the handler once
        mov     si,sp
        xor     ebx,ebx
        mov     sp,offset handler+9
        int     60h                     ; flags, CS and IP go to handler+3 to handler+8
        mov     sp,si
        test    ebx,ebx
        mov     ax,4C00h
        jz      done
        mov     al,1
done:   int     21h
handler db      66h,69h,9Fh             ; imul ebx,[bx+0],0: the product is 0 unless the zeroes are written over
        dw      0
        dd      0
        iret
code    ends
        end     start
