; A memory model: data and stack in one group, and the code that makes DS and SS hold it. Registers of 32 bits take
; prefixes, and each prefix a clock.
; expect stop = exit 7
; expect output = "small\r\n"
; expect sum = 12
; expect large = 305419896
; expect stack_is_data = 1
; expect near_done = 1
; expect far_done = 1
; expect arguments = 513
.model small, c
.386
.stack 100h
.data
text            db 'small',13,10,'$'
sum             dw 5
large           dd 0
table           dw 1,2,3,4
stack_is_data   db 0
near_done       db 0
far_done        db 0
arguments       dw 0
pointers        dw near_one
pointer         dd far_one
.code
.startup
        mov     dx,offset text
        mov     ah,9
        int     21h
        mov     bx,offset table
        mov     si,4
        mov     ax,[bx+si]
        add     ax,[bx+si+2]
        add     sum,ax
        mov     eax,12345678h
        mov     large,eax
        mov     ax,ss
        mov     bx,@data
        cmp     ax,bx
        sete    stack_is_data
        call    pointers
        call    pointer
        invoke  both, 1, 2
        .exit   7

near_one proc near
        inc     near_done
        ret
near_one endp

far_one proc far
        inc     far_done
        ret
far_one endp

both    proc uses bx, low_part:word, high_part:word
        local   kept:word
        mov     bx,high_part
        mov     kept,bx
        mov     ax,low_part
        mov     bh,byte ptr kept
        mov     bl,al
        mov     arguments,bx
        ret
both    endp
        end
