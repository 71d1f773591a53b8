; Segments without a model: ASSUME decides which register reaches an address, far procedures lie in another segment.
; expect stop = exit 0
; expect x = 11
; expect z = 22
; expect in_code = 99
; expect called = 2
; expect bios = 4660
stack_segment segment para stack 'STACK'
        dw      64 dup (?)
stack_segment ends

data    segment word public 'DATA'
x       dw      5
jumped  dd      landed
called  dw      0
data    ends

data2   segment byte public 'DATA'
filler  db      ?
y       dw      6
bios    dw      0
data2   ends

dgroup  group   data, data2

bios_data segment at 40h
        org     10h
equipment dw    ?
bios_data ends

extra   segment
z       dw      22
extra   ends

code    segment para public 'CODE'
        assume  cs:code, ds:dgroup, ss:stack_segment
main    proc    far
        push    ds                      ; a far return to int 20h of the prefix
        xor     ax,ax
        push    ax
        mov     ax,dgroup
        mov     ds,ax
        mov     ax,x
        add     ax,y
        mov     x,ax
        mov     bx,seg z
        mov     es,bx
        assume  es:extra
        cmp     z,22                    ; takes a prefix for ES
        jne     failed
        mov     bx,bios_data
        mov     es,bx
        assume  es:bios_data
        mov     equipment,1234h
        mov     ax,equipment
        mov     bios,ax
        assume  es:nothing
        inc     in_code                 ; takes a prefix for CS
        call    other
        call    far ptr local_far
        jmp     jumped
failed: mov     x,0
        ret
main    endp
in_code dw      98
local_far:
        inc     called
        retf
code    ends

code2   segment
        assume  cs:code2
other   proc    far
        inc     called
        ret
other   endp
landed: jmp     far ptr last
code2   ends

code3   segment
        assume  cs:code3
last    label   far
        retf
code3   ends
        end     main
