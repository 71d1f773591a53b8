; Keyboard handler for a game, C callable from Turbo C (small model), TASM
        .model small,c
        .code
        assume  ds:_DATA
        public  keybinit,keybdone,keystate
        extrn   printf:proc, _exit:near
        .data
keystate db     128 dup (0)
;= 128 bytes, 388dd1c5
        even
keyold  dd      0
;= 00000000
extflag db      0
;= 00
        .fardata scrbuf
bigbuf  db      4096 dup (?)
;= 4096 bytes, fa431dc5
        .code
keybinit proc   uses ds es bx
        mov     ax,3509h
;= 1e0653b80935
        int     21h
;= cd21
        mov     word ptr keyold,bx
;= 891e8000
        mov     word ptr keyold[2],es
;= 8c068200
        push    cs
;= 0e
        pop     ds
;= 1f
        mov     dx,offset keyint
;= ba2a00
        mov     ax,2509h
;= b80925
        int     21h
;= cd21
        ret
;= 5b071fc3
keybinit endp
keybdone proc
        push    ds
;= 1e
        lds     dx,keyold
;= c5168000
        mov     ax,2509h
;= b80925
        int     21h
;= cd21
        pop     ds
;= 1f
        ret
;= c3
keybdone endp
keyint  proc    far
        push    ax bx ds
;= 50531e
        mov     ax,@data
;= b81a11
        mov     ds,ax
;= 8ed8
        in      al,60h
;= e460
        cmp     al,0e0h
;= 3ce0
        je      @@ext
;= 7415
        mov     bl,al
;= 8ad8
        xor     bh,bh
;= 32ff
        shl     al,1
;= d0e0
        mov     al,0
;= b000
        jc      @@rel
;= 7202
        inc     al
;= fec0
@@rel:  and     bl,7fh
;= 80e37f
        mov     keystate[bx],al
;= 88870000
        jmp     short @@eoi
;= eb05
@@ext:  mov     extflag,1
;= c606840001
@@eoi:  in      al,61h
;= e461
        mov     ah,al
;= 8ae0
        or      al,80h
;= 0c80
        out     61h,al
;= e661
        xchg    ah,al
;= 86e0
        out     61h,al
;= e661
        mov     al,20h
;= b020
        out     20h,al
;= e620
        pop     ds bx ax
;= 1f5b58
        iret
;= cf
keyint  endp
keywait proc    c near uses si di, code:word, times:word
        local   count:word
        mov     ax,times
;= 558bec83ec0256578b4606
        mov     count,ax
;= 8946fe
@@l:    mov     bx,code
;= 8b5e04
        cmp     keystate[bx],0
;= 80bf000000
        je      @@l
;= 74f6
        dec     count
;= ff4efe
        jnz     @@l
;= 75f1
        mov     ax,seg bigbuf
;= b81a10
        mov     es,ax
;= 8ec0
        assume  es:scrbuf
        mov     bigbuf[0],al
;= 26a20000
        call    printf c,offset keystate,ax
;= 50680000e8000083c404
        ret
;= 5f5e8be55dc3
keywait endp
        end
