; Regions in 16-bit code: the macros reach their data through CS, and are calibrated in code of the same size.
; expect stop = exit 0
; expect _tsc_1 = 0
; expect _tsc_2 = 1
; expect _tsc_3 = 19
; expect _prof0_4 = 4
; expect _prof1_4 = 5
; expect _tsc_5 = 2
.model small
.586
.stack 100h
.data
x       dw 1
y       dd 2
.code
.startup
        mov     cx,3
warm:   StartTSC empty
        EndTSC
        StartTSC pair
        mov     ax,1
        mov     bx,2
        EndTSC
        StartTSC divide
        xor     dx,dx
        mov     ax,100
        mov     bx,7
        div     bl
        EndTSC
        StartProfile EV_DATA_READ, EV_DATA_WRITE
        mov     ax,x
        mov     bx,x
        mov     edx,y
        mov     x,ax
        mov     x,bx
        mov     y,edx
        mov     x,ax
        EndProfile
        call    far ptr measured
        dec     cx
        jnz     warm
        .exit   0
other   segment
        assume  cs:other
measured:
        StartTSC elsewhere
        mov     eax,1
        EndTSC
        retf
other   ends
        end
