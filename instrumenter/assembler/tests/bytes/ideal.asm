; IDEAL mode: parts of variables, local names of data, keywords with names.
        ideal
        model   small, c
        p386
        segment extra para public 'DATA'
far_v   dw      1
;= 0100
        ends    extra
        dataseg
long    dd      12345678h
;= 78563412
        struc   point
x       dw      1
y       dw      2
        ends    point
pt      point   <3>
;= 03000200
label   bytes   byte
words   dw      4 dup (?)
;= 0000000000000000
        codeseg
proc    work
        mov     ax, [word low long]
;= a10000
        mov     dx, [word high long]
;= 8b160200
        mov     al, [byte high words]
;= a00900
        mov     al, [byte bytes+1]
;= a00900
        mov     bx, [pt.y]
;= 8b1e0600
        mov     [(point si).x], 5
;= c7040500
        mov     [cs:@@save], ax
;= 2ea33100
        mov     eax, [large 4]
;= 66a10400
        mov     bx, offset bytes
;= bb0800
        push    [long]
;= 66ff360000
        push    [words]
;= ff360800
        jmp     [word cs:bx+@@table]
;= 2effa72e00
@@table dw      @@one
;= 3000
@@one:  ret
;= c3
@@save  dw      0
;= 0000
endp    work
proc    other
        jmp     @@save
;= eb00
@@save: ret
;= c3
endp    other
        global  c extern1:near, c extern2:word
        call    extern1 c, ax, [extern2], offset bytes
;= 680800ff36000050e8000083c406
        end
