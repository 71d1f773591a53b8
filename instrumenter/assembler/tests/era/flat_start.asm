; Tran-like protected mode program: TASM, one USE32 segment
        .386p
        locals
code32  segment para public use32
        assume cs:code32, ds:code32
public  _main
d       equ     <dword ptr>
w       equ     <word ptr>
v86r_ax equ     word ptr ds:[_v86+28]
;DATA
ateoff  dd      ?
;= 00000000
vp      dd      0a0000h
;= 00000a00
align 4
sintab  dw      256 dup(0)
;= 512 bytes, 86c16dc5
msg0    db      'Press any key',0dh,0ah,'$'
;= 507265737320616e79206b65790d0a24
@macro  macro   a1,a2
        local   lp
lp:     mov     a1,a2
        dec     a2
        jnz     lp
endm
rcol    db      0,0,0
;= 000000
        db      63,(3),1+2*3
;= 3f0307
_selzero dw     ?
;= 0000
irq0    df      ?
;= 000000000000
;CODE
align 4
;= 9090
@rend:  mov     edi,[vp]
;= 8b3d04104000
        add     edi,[_code32a]
;= 033dfb124000
        movzx   eax,[rcol+1]
;= 0fb60519124000
        mov     ax,sintab[eax*2]
;= 668b044508104000
        mov     ax,[sintab+eax*2+2]
;= 668b04450a104000
        lea     esi,sintab
;= 8d3508104000
        movsx   ebx,word ptr ds:[esi]
;= 0fbf1e
        imul    eax,ebx,-1
;= 6bc3ff
        imul    ebx
;= f7eb
        imul    ebx,[esi],320
;= 691e40010000
        shld    edx,eax,16
;= 0fa4c210
        mov     gs:[eax],cl
;= 658808
        inc     byte ptr gs:[400h]
;= 65fe0500040000
        mov     gs,_selzero
;= 8e2d1e124000
        mov     _selzero,gs
;= 8c2d1e124000
        push    d [vp]
;= ff3504104000
        pop     w [_selzero]
;= 668f051e124000
        mov     v86r_ax,13h
;= 66c705e51240001300
        mov     al,10h
;= b010
        int     33h
;= cd33
        @macro  bl,cl
;= 8ad9fec975fa
@@0:    in      al,60h
;= e460
        cmp     al,1
;= 3c01
        jne     @@0
;= 75fa
        jmp     @rend
;= eb87
_main:
        sti
;= fb
        call    @rend
;= e881ffffff
        mov     edx,offset msg0
;= ba08124000
        mov     ecx,(offset @rend - offset msg0) / 4
;= b908000000
        rep     movs dword ptr [edi],dword ptr es:[esi]
;= f326a5
        cmps    byte ptr [esi],byte ptr es:[edi]
;= a6
        call    fword ptr [irq0]
;= ff1d20124000
        call    [dword ptr ateoff]
;= ff1500104000
        jmp     _exit
;= eb3c
        enter   10h,0
;= c8100000
        leave
;= c9
        ret
;= c3
_v86    db      50 dup (0)
;= 0000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000000
_code32a dd     0
;= 00000000
_exit:  ret
;= c3
code32  ends
        end
