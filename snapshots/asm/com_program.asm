; A COM file: one segment from 100h on behind the prefix, all segment registers equal, and a return to int 20h.
; expect stop = exit 0
; expect output = "Hello, world"
; expect count = 55
; expect first = 52512
; expect far_offset = 256
; expect same = 1
; expect top = 65534
code    segment
        assume  cs:code, ds:code
        org     100h
start:  mov     top,sp
        mov     dx,offset text
        mov     ah,9
        int     21h
        mov     ax,cs
        mov     bx,ss
        cmp     ax,bx
        jne     done
        mov     bx,es
        cmp     ax,bx
        jne     done
        cmp     ax,word ptr far_start+2
        jne     done
        mov     same,1
        mov     ax,es:[0]
        xchg    al,ah
        mov     first,ax
        mov     ax,word ptr far_start
        mov     far_offset,ax
        mov     cx,10
again:  add     count,cx
        loop    again
        mov     si,offset tail
        mov     cx,7
next:   lodsb
        mov     dl,al
        mov     ah,2
        int     21h
        loop    next
done:   ret
text    db      'Hello$'
tail    db      ', world'
count   dw      0
first   dw      0
same    dw      0
top     dw      0
far_offset dw   0
far_start dd    start
code    ends
        end     start
